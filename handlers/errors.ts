/** HTTP statuses an expected failure may carry (decisions: "API"). */
export type FailureStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 416 | 422 | 429 | 503

/**
 * An expected failure with a text meant for the person who caused it: what is
 * wrong, why, and how to fix it. Anything else thrown is a fault of ours, is
 * logged with its cause and answered as a bare 500.
 */
export class AppError extends Error {
  readonly status: FailureStatus
  /** Name of the input field at fault, where there is one. */
  readonly field: string | undefined
  /** Extra response headers, e.g. `Retry-After`, `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: FailureStatus,
    message: string,
    options: { field?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.status = status
    this.field = options.field
    this.headers = options.headers ?? {}
  }
}

/** 400: the value of `field` cannot be accepted; `message` names the field. */
export const invalid = (field: string, message: string): AppError =>
  new AppError(400, message, { field })
/** 401: no valid token. */
export const unauthenticated = (
  message = 'Authentication required. Log in and try again.',
): AppError => new AppError(401, message)
/** 403: licence limit, tier gate or role. */
export const forbidden = (message: string): AppError => new AppError(403, message)
/** 404: the named thing does not exist (or is not the caller's to see). */
export const notFound = (message: string): AppError => new AppError(404, message)
/** 409: duplicate, or the thing is in the wrong state. */
export const conflict = (message: string, field?: string): AppError =>
  new AppError(409, message, field === undefined ? {} : { field })
/** 422: what was asked for is sound, and what came of it failed, e.g. a program that did not start. */
export const unprocessable = (message: string): AppError => new AppError(422, message)
/** 503: a component that the request needs is not there. */
export const unavailable = (message: string, cause?: unknown): AppError =>
  new AppError(503, message, { cause })

/** Whether `error` is an expected failure (also across realms and bundles). */
export const isAppError = (error: unknown): error is AppError =>
  error instanceof Error && error.name === 'AppError' && 'status' in error

/** Text of every unexpected failure: nothing of the cause reaches the client. */
export const INTERNAL_ERROR = 'Internal server error. The cause is in the panel log.'

/** What systems, SQLite, MariaDB, PostgreSQL and programs say when nothing more can be written. */
const DISK_FULL =
  /\bENOSPC\b|no space left on device|\bSQLITE_FULL\b|database or disk is full|\bdisk full\b|\bER_DISK_FULL(?:_NOWAIT)?\b|PostgreSQL answered 53100/i

const saysFull = (error: unknown, depth: number): boolean => {
  if (!(error instanceof Error) || depth > 5) return false
  const code = 'code' in error ? String(error.code) : ''
  return DISK_FULL.test(`${code} ${error.message}`) || saysFull(error.cause, depth + 1)
}

/** A disk by what it holds, e.g. `homes and backups`; null: which one is not known. Never a path: tenants read it. */
export type HeldByDisk = string | null

/** The only disk that the panel itself writes to; what the host's are full of the agent says. */
export const PANEL_DISK = "the panel's records"

const fullText = (holds: HeldByDisk): string =>
  holds === null
    ? 'A disk of this server is full, so nothing could be written.'
    : `The disk of this server that holds ${holds} is full, so nothing could be written.`

const FREE_IT = 'Free some space (berth doctor says where), then try again.'

/**
 * 503 for a fault whose cause is that a disk of the machine is full, which is nobody's
 * mistake but can be mended by a person; null for every other. Causes are looked at too.
 */
export const diskFull = (error: unknown, holds: HeldByDisk = null): AppError | null =>
  saysFull(error, 0) ? unavailable(`${fullText(holds)} ${FREE_IT}`, error) : null

/**
 * What is to be told of `error` while a disk is known to be full (`holds` is not null): a fault
 * is blamed on it, since programs say it in many words, and what is not available names it too.
 */
export const whileDiskFull = (error: unknown, holds: HeldByDisk): unknown => {
  const isBlamed = holds !== null || saysFull(error, 0)
  const told = `${fullText(holds)} ${FREE_IT}`
  if (!isAppError(error)) return isBlamed ? unavailable(told, error) : error
  // What was told where it happened knows best.
  if (!isBlamed || error.status !== 503 || error.message.includes(' is full')) return error
  return unavailable(`${error.message} ${told}`, error)
}
