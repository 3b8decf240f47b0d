/** What a promise rejected with. A call that was to fail and did not is a failure of the test. */
export function thrownBy(promise: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => reject(new Error(`nothing was thrown, the call gave ${JSON.stringify(value)}`)),
      (error: unknown) => resolve(error),
    );
  });
}
