/** Throws 401, 403 or 404 once whoever asked for what is under way may not have it any more. */
export type Judge = () => Promise<void>

/** A value that goes with everything that `run` sets off, as `AsyncLocalStorage` does it. */
export interface Ambient<T> {
  /** Answers what `work` answers; within it `getStore` is `value`. */
  run<R>(value: T, work: () => R): R
  /** The value of the innermost `run`; undefined outside. */
  getStore(): T | undefined
}
