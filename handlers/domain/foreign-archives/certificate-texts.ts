import type { ForeignCertificate } from './foreign-account.ts'

const BEGIN = '-----BEGIN '
const END = '-----END '

/** The PEM blocks of a text, each with its label, in their order. Text outside of blocks is skipped. */
const blocksOf = (text: string): { label: string; pem: string }[] => {
  const blocks: { label: string; pem: string }[] = []
  let at = text.indexOf(BEGIN)
  while (at !== -1) {
    const labelEnd = text.indexOf('-----', at + BEGIN.length)
    if (labelEnd === -1) break
    const label = text.slice(at + BEGIN.length, labelEnd)
    const end = text.indexOf(`${END}${label}-----`, labelEnd)
    if (end === -1) break
    const stop = end + END.length + label.length + 5
    blocks.push({ label, pem: `${text.slice(at, stop)}\n` })
    at = text.indexOf(BEGIN, stop)
  }
  return blocks
}

/** More blocks than any chain has; a bundle of thousands is not read to its end. */
const MAX_TEXT = 64 * 1024

/**
 * Key, certificate and chain of one text, whatever their order, the first certificate
 * being the site's own. Null where key or certificate is missing.
 */
export const readCertificateTexts = (...texts: readonly string[]): ForeignCertificate | null => {
  const whole = texts.join('\n')
  if (whole.length > MAX_TEXT) return null
  const blocks = blocksOf(whole)
  const key = blocks.find(({ label }) => label.endsWith('PRIVATE KEY'))
  const [own, ...chain] = blocks.filter(({ label }) => label === 'CERTIFICATE')
  if (!key || !own) return null
  return { key: key.pem, certificate: own.pem, chain: chain.map(({ pem }) => pem).join('') }
}
