/** What the flag `nodejs_als` gives of Node's module; the types of Workers do not have it. */
declare module 'node:async_hooks' {
  export class AsyncLocalStorage<T> {
    run<R>(value: T, work: () => R): R
    getStore(): T | undefined
  }
}
