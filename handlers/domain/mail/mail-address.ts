/** Longest address of RFC 5321, in characters. */
export const MAX_ADDRESS = 254
const MAX_LOCAL = 64

/** As RFC 5322 writes an atom; a dot may stand between two of them. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/

/** The two halves of an address; null for what is none that can be sent to. */
export interface MailAddress {
  local: string
  /** Lower case, without a final dot. */
  domain: string
}

/**
 * Reads `local@domain`. Only plain ASCII addresses with a name of at least two labels are
 * taken: quoted halves, addresses of machines and names of this machine's users are not.
 */
export const parseMailAddress = (text: string): MailAddress | null => {
  if (text.length > MAX_ADDRESS) return null
  const at = text.lastIndexOf('@')
  if (at < 1 || at > MAX_LOCAL) return null
  const local = text.slice(0, at)
  const domain = text.slice(at + 1).toLowerCase()
  const labels = domain.split('.')
  return LOCAL.test(local) && labels.length > 1 && labels.every((label) => LABEL.test(label))
    ? { local, domain }
    : null
}

/** Whether `text` is an address that can be sent to; see `parseMailAddress`. */
export const isMailAddress = (text: string): boolean => parseMailAddress(text) !== null
