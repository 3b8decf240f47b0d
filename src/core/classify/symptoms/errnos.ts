// Error codes of Node, undici, TLS, SQLite and the system, wherever in a cause chain they were.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const ERRNOS: RuleGroup = {
  source: "errno",
  rules: () => [
    { id: "errno/tls", when: { errno: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "CERT_UNTRUSTED", "CERT_REJECTED", "CERT_REVOKED", "CERT_SIGNATURE_FAILURE", "ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH", "CERTIFICATE_VERIFY_FAILED", "ERR_CERT_AUTHORITY_INVALID", "ERR_CERT_COMMON_NAME_INVALID", "ERR_CERT_DATE_INVALID", "ERR_CERT_INVALID", "SSLCERTVERIFICATIONERROR", "INVALID_CA", "ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PROTOCOL_ERROR", "ERR_SSL_VERSION_OR_CIPHER_MISMATCH", "ERR_CERT_REVOKED", "EPROTO"] },
      means: "TlsUntrusted", neverSent: true, example: { surface: "node", code: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", message: "unable to get local issuer certificate" } },
    { id: "errno/spawn", when: { token: ["syscall:spawn"], errno: ["ENOENT", "EACCES", "ENOEXEC"] },
      means: "BinaryMissing", example: { surface: "cli", error: { message: "spawn claude ENOENT", code: "ENOENT", errno: -2, syscall: "spawn claude", path: "claude" } } },
    { id: "errno/never-sent", when: { errno: ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EAI_NONAME", "EAI_FAIL", "EAI_NODATA", "EAI_SYSTEM", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EHOSTDOWN", "UND_ERR_PRX_TLS", "WSAECONNREFUSED", "EADDRNOTAVAIL", "ERR_CONNECTION_REFUSED", "ERR_NAME_NOT_RESOLVED", "ERR_INTERNET_DISCONNECTED", "ERR_ADDRESS_UNREACHABLE", "ERR_PROXY_CONNECTION_FAILED", "ERR_TUNNEL_CONNECTION_FAILED"] },
      means: "NetworkDisconnect", onTool: "ToolUnavailable", neverSent: true, example: { surface: "node", code: "ECONNREFUSED", message: "connect ECONNREFUSED 127.0.0.1:11434" } },
    { id: "errno/connect-timeout", when: { errno: ["UND_ERR_CONNECT_TIMEOUT"] },
      means: "NetworkTimeout", onTool: "ToolUnavailable", neverSent: true, example: { surface: "node", code: "UND_ERR_CONNECT_TIMEOUT", message: "Connect Timeout Error" } },
    { id: "errno/timeout", when: { errno: ["ETIMEDOUT", "ESOCKETTIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "WSAETIMEDOUT", "ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT", "ERR_SOCKET_CONNECTION_TIMEOUT"] },
      means: "NetworkTimeout", onTool: "ExecutionTimeout", example: { surface: "node", code: "ETIMEDOUT", message: "connect ETIMEDOUT 202.160.128.210:443" } },
    { id: "errno/cut", when: { errno: ["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED", "HPE_INVALID_CONSTANT", "HPE_INVALID_CHUNK_SIZE", "HPE_INVALID_HEADER_TOKEN", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "ERR_HTTP2_STREAM_ERROR", "ERR_HTTP2_SESSION_ERROR", "ERR_INCOMPLETE_CHUNKED_ENCODING", "WSAECONNRESET", "ERR_CONNECTION_CLOSED", "ERR_CONNECTION_RESET", "ERR_CONNECTION_ABORTED", "ERR_NETWORK_CHANGED", "ERR_EMPTY_RESPONSE", "ERR_NETWORK_IO_SUSPENDED", "UND_ERR_CLOSED", "UND_ERR_DESTROYED", "ERR_HTTP2_PROTOCOL_ERROR", "ERR_HTTP2_GOAWAY_SESSION", "ERR_HTTP2_INVALID_SESSION", "ERR_QUIC_PROTOCOL_ERROR", "ERR_CONTENT_LENGTH_MISMATCH"] },
      means: "NetworkDisconnect", example: { surface: "node", error: { name: "TypeError", message: "terminated", cause: { message: "other side closed", code: "UND_ERR_SOCKET" } } } },
    { id: "errno/unreadable", when: { errno: ["Z_DATA_ERROR", "Z_BUF_ERROR", "ERR__ERROR_FORMAT_PADDING_1", "ERR_ENCODING_INVALID_ENCODED_DATA"] },
      means: "AnswerUnreadable", onTool: "OutputMalformed", example: { surface: "node", error: { name: "TypeError", message: "terminated", cause: { message: "unexpected end of file", code: "Z_BUF_ERROR", errno: -5 } } } },
    { id: "errno/header", when: { errno: ["ERR_INVALID_CHAR", "ERR_INVALID_HTTP_TOKEN", "ERR_UNESCAPED_CHARACTERS", "ERR_INVALID_PROTOCOL"] },
      means: "RequestInvalid", onTool: "InputInvalid", neverSent: true, example: { surface: "node", code: "ERR_INVALID_CHAR", message: "Invalid character in header content [\"authorization\"]" } },
    { id: "errno/full", when: { errno: ["ENOSPC", "EMFILE", "ENFILE", "ENOMEM", "EDQUOT", "E2BIG", "ENOBUFS", "ERR_CHILD_PROCESS_STDIO_MAXBUFFER"] },
      means: "ResourceExhausted", example: { surface: "tool", code: "ENOSPC", message: "ENOSPC: no space left on device, mkdir '/tmp/x'" } },
    { id: "errno/busy", when: { errno: ["EBUSY", "ETXTBSY", "EAGAIN", "EWOULDBLOCK", "SQLITE_BUSY", "SQLITE_LOCKED", "ERR_SQLITE_ERROR_BUSY", "EADDRINUSE", "ELOCKED", "EDEADLK"] },
      means: "ResourceBusy", example: { surface: "tool", code: "EBUSY", message: "EBUSY: resource busy or locked, unlink 'db.sqlite'" } },
  ],
};

/** Codes that only say what happened to a file or argument; the words around them decide first. */
// prettier-ignore
export const FILE_ERRNOS: RuleGroup = {
  source: "errno",
  rules: () => [
    { id: "errno/denied", when: { errno: ["EACCES", "EPERM", "EROFS"] },
      means: "AccessDenied", onTool: "Forbidden", example: { surface: "cli", code: "EROFS", message: "EROFS: read-only file system, open '/opt/agent/state'" } },
    { id: "errno/missing", when: { errno: ["ENOENT"] },
      means: "EndpointNotFound", onTool: "NotFound", example: { surface: "tool", code: "ENOENT" } },
    { id: "errno/argument", when: { errno: ["ENOTDIR", "EISDIR", "EINVAL", "ENAMETOOLONG", "ERR_INVALID_URL", "ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE", "ENOTEMPTY", "EEXIST"] },
      means: "RequestInvalid", onTool: "InputInvalid", example: { surface: "tool", code: "EISDIR", message: "EISDIR: illegal operation on a directory, read" } },
  ],
};
