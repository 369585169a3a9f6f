import { isIP } from 'node:net'
import type { SiteContext } from '#handlers/sites/site-context.ts'

/**
 * Field in which a front says who its visitor is: address, port, scheme and the front's own port.
 * It counts over the web channel alone.
 */
export const VISITOR_FIELD = 'berth-visitor'

/** What a front knows of a visitor's connection. */
export type Visitor = Pick<SiteContext, 'clientAddress' | 'clientPort' | 'secure' | 'serverPort'>

const MOST_CHARACTERS = 100
const SHAPE = /^([0-9a-f.:]+) (\d{1,5}) (https?) (\d{1,5})$/

/** The field's value. */
export const visitorText = ({ clientAddress, clientPort, secure, serverPort }: Visitor): string =>
  `${clientAddress} ${clientPort} ${secure ? 'https' : 'http'} ${serverPort}`

/** Null for what is no value of the field. */
export const parseVisitor = (text: string): Visitor | null => {
  if (text.length > MOST_CHARACTERS) return null
  const [, clientAddress = '', clientPort, scheme, serverPort] = SHAPE.exec(text) ?? []
  if (isIP(clientAddress) === 0) return null
  const ports = { clientPort: Number(clientPort), serverPort: Number(serverPort) }
  return { clientAddress, ...ports, secure: scheme === 'https' }
}
