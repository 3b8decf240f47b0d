# The official Python SDKs as clients of a gateway: `python python_clients.py <url> <key>`. Prints one JSON line for each case. The SDKs keep
# their own retries, so each line counts the requests that the SDK sent.

import json
import sys

import anthropic
import openai

try:
    import httpx2 as httpx
except ImportError:  # before openai 3 and anthropic 1
    import httpx

URL, KEY = sys.argv[1], sys.argv[2]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
QUESTION = "What is the weather in Oslo?"
ASK = [{"role": "user", "content": QUESTION}]
sent = 0


def count(_request):
    global sent
    sent += 1


def counting():
    return httpx.Client(event_hooks={"request": [count]})


def openai_client(key=KEY):
    return openai.OpenAI(base_url=f"{URL}/v1", api_key=key, http_client=counting())


def anthropic_client(key=KEY):
    return anthropic.Anthropic(base_url=URL, api_key=key, http_client=counting())


def weather(arguments):
    return f"rain in {json.loads(arguments)['city']}" if isinstance(arguments, str) else f"rain in {arguments['city']}"


# Each asks with a tool, runs the calls, and sends their results back in a second request.


def chat(streaming, model="team", client=None):
    client = client or openai_client()
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    messages = list(ASK)

    def ask():
        if not streaming:
            return client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
        with client.chat.completions.stream(model=model, messages=messages, tools=tools) as stream:
            stream.until_done()
            return stream.get_final_completion().choices[0].message

    first = ask()
    messages.append(first.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
    for call in first.tool_calls or []:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": weather(call.function.arguments)})
    return ask().content if first.tool_calls else first.content


def responses(streaming, model="team", client=None):
    client = client or openai_client()
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}]
    history = list(ASK)

    def ask():
        if not streaming:
            return client.responses.create(model=model, input=history, tools=tools, store=False)
        with client.responses.stream(model=model, input=history, tools=tools, store=False) as stream:
            return stream.get_final_response()

    first = ask()
    calls = [item for item in first.output if item.type == "function_call"]
    for call in calls:
        history.append({"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments})
        history.append({"type": "function_call_output", "call_id": call.call_id, "output": weather(call.arguments)})
    return ask().output_text if calls else first.output_text


def messages(streaming, model="team", client=None):
    client = client or anthropic_client()
    tools = [{"name": "weather", "input_schema": SCHEMA}]
    history = list(ASK)

    def ask():
        body = {"model": model, "max_tokens": 500, "messages": history, "tools": tools}
        if not streaming:
            return client.messages.create(**body)
        with client.messages.stream(**body) as stream:
            return stream.get_final_message()

    first = ask()
    calls = [block for block in first.content if block.type == "tool_use"]
    history.append({"role": "assistant", "content": first.content})
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": weather(call.input)} for call in calls]
    history.append({"role": "user", "content": results})
    last = ask() if calls else first
    return "".join(block.text for block in last.content if block.type == "text")


APIS = {
    "chat": (chat, openai_client, openai),
    "responses": (responses, openai_client, openai),
    "messages": (messages, anthropic_client, anthropic),
}


def tell(case, work, sdk):
    global sent
    sent = 0
    line = {**case, "text": None, "error": None, "status": None}
    try:
        line["text"] = work()
    # The error event of a stream of responses has no exception of its own in `openai`: it says that the end is missing.
    except (sdk.APIError, RuntimeError) as error:
        line["error"] = type(error).__name__
        line["status"] = getattr(error, "status_code", None)
    print(json.dumps({**line, "sent": sent}), flush=True)


for name, (talk, client_of, sdk) in APIS.items():
    for streaming in (False, True):
        for model in ("team", "refused", "limited", "broken", "missing", "forbidden", "cut"):
            case = {"api": name, "streaming": streaming, "model": model}
            tell(case, lambda: talk(streaming, model), sdk)
        case = {"api": name, "streaming": streaming, "model": "wrong-key"}
        tell(case, lambda: talk(streaming, "team", client_of("not-the-key")), sdk)
