import { AppError } from '#handlers/errors.ts'

/** Header of a call that is made in a turn: the lease's term, a space, its subject percent-encoded. */
export const LEASE_HEADER = 'berth-lease'

/** Highest term that is taken from anybody: there are as many above it as below. */
export const MAX_TERM = 2 ** 52

/** Longest subject, in characters. */
const MAX_SUBJECT_CHARS = 200

/** The lease under which a call is made. */
export interface CallLease {
  /** E.g. the name of an account. */
  subject: string
  /** Whoever has the next turn has a higher one. */
  term: number
}

/** The header's value. */
export const writeLease = ({ subject, term }: CallLease): string =>
  `${String(term)} ${encodeURIComponent(subject)}`

/** The lease that a call names; null: none. Throws an `AppError` 400 for what is none. */
export const readLease = (headers: Headers): CallLease | null => {
  const value = headers.get(LEASE_HEADER)
  if (value === null) return null
  const match = /^(\d{1,16}) (\S{1,2000})$/.exec(value)
  const term = Number(match?.[1])
  let subject = ''
  try {
    subject = decodeURIComponent(match?.[2] ?? '')
  } catch {
    // Said below.
  }
  if (subject === '' || subject.length > MAX_SUBJECT_CHARS || !(term <= MAX_TERM))
    throw new AppError(400, `The header ${LEASE_HEADER} is not valid.`, { field: LEASE_HEADER })
  return { subject, term }
}
