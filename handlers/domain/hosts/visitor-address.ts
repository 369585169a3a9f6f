import { parseLinkAddress } from './link-address.ts'

/** Whether a text is an IP address or a name without a port, as visitors reach a machine at ports 80 and 443. */
export const isVisitorAddress = (text: string): boolean =>
  text.length <= 253 &&
  parseLinkAddress(
    // An IPv6 address; what has a port has one colon alone.
    text.includes(':', text.indexOf(':') + 1) ? `[${text}]` : `${text}:80`,
  ) !== null
