import type { ContentCoding } from '../types.ts'

/** Codings that the cache makes, the one that usually gives the smallest body last. */
export const CONTENT_CODINGS: readonly ContentCoding[] = ['gzip', 'br']

/** What a client says of codings (RFC 9110, 12.5.3). */
export interface AcceptedCodings {
  /** Weight of the coding, 0 to 1; 0: not acceptable. */
  weight(coding: string): number
  /** Weight given to the body as it is; null: not mentioned, hence acceptable where nothing better is. */
  identity: number | null
}

/** Codings of which a stored response may be kept as it came. */
const KNOWN_CODINGS = new Set(['gzip', 'br', 'deflate', 'zstd', 'compress'])
/** Old names (RFC 9110, 8.4.1). */
const ALIASES: Record<string, string> = { 'x-gzip': 'gzip', 'x-compress': 'compress' }

const codingName = (text: string): string => {
  const name = text.trim().toLowerCase()
  return ALIASES[name] ?? name
}

/** Coding of a response's body; null when it has none. Several come as they are written. */
export const codingOf = (headers: Headers): string | null => {
  const name = codingName(headers.get('content-encoding') ?? '')
  return name === '' || name === 'identity' ? null : name
}

/** Whether a response in this coding can be kept for those who accept it. */
export const isStorableCoding = (coding: string | null): boolean =>
  coding === null || KNOWN_CODINGS.has(coding)

/** Weight of one element of the list; an unreadable one counts as a refusal. */
const weightOf = (parameters: readonly string[]): number => {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim().toLowerCase() !== 'q') continue
    const text = value.trim()
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
  }
  return 1
}

/**
 * Reads an Accept-Encoding field. Without the field, or with an empty one,
 * nothing but the body as it is is taken for acceptable. Of a repeated coding
 * the first element counts.
 */
export const parseAcceptEncoding = (field: string | null): AcceptedCodings => {
  const weights = new Map<string, number>()
  for (const element of (field ?? '').split(',')) {
    const [name = '', ...parameters] = element.split(';')
    const coding = codingName(name)
    if (coding !== '' && !weights.has(coding)) weights.set(coding, weightOf(parameters))
  }
  const others = weights.get('*')
  return {
    weight: (coding) => weights.get(coding) ?? others ?? 0,
    // `*;q=0` forbids it too; any other `*` says no more than its absence.
    identity: weights.get('identity') ?? (others === 0 ? 0 : null),
  }
}
