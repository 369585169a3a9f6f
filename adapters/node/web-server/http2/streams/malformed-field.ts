/** Characters of a name but `:`, which begins those of pseudo-header fields: visible, no capitals (RFC 9113 8.2.1). */
const NAME = /^:?[\x21-\x39\x3b-\x40\x5b-\x7e]+$/
/** What no value holds anywhere. */
const NO_VALUE = /[\0\n\r]/

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/**
 * Whether a field makes its request malformed (RFC 9113 8.2.1): written as HTTP/1 it
 * could be two, or another one. Latin1.
 */
export const isMalformedField = (name: string, value: string): boolean =>
  !NAME.test(name) ||
  NO_VALUE.test(value) ||
  isBlank(value.charCodeAt(0)) ||
  isBlank(value.charCodeAt(value.length - 1))
