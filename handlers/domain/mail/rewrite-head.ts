import { readAddressList } from './address-list.ts'
import { isMailAddress, parseMailAddress } from './mail-address.ts'
import type { HeaderField } from './header-block.ts'

/** Who sends, as the host knows it. */
export interface MailSender {
  /** Domains that its addresses may have, in lower case. */
  domains: readonly string[]
  /** Takes the place of an address that is not its own. */
  fallback: string
}

/** What a message is given where it lacks it. */
export interface HeadFacts {
  /** As RFC 5322 writes times. */
  date: string
  /** With its angle brackets. */
  messageId: string
  /** Value of the field that says where the message entered. */
  received: string
}

/** A head as it goes out. */
export interface RewrittenHead {
  /** Lines with CRLF, without the empty one behind them. */
  text: string
  /** The address that From has now. */
  from: string
  /** The address that stood there, where it was replaced; '' for something unreadable. */
  replaced: string | null
  /** What stands in Subject and To for a list; not decoded. */
  subject: string
  to: string
}

/** Fields that say who sent or carried the message, or that nobody else should read. */
const DROPPED: readonly string[] = [
  'bcc',
  'sender',
  'return-path',
  'received',
  'authentication-results',
  'delivered-to',
  'errors-to',
]
const DROPPED_BEGINNINGS: readonly string[] = ['x-berth-', 'resent-', 'arc-']
/** RFC 5322 lets each of them stand there once; programs differ in which of two they show. */
const ONCE: readonly string[] = ['from', 'subject', 'date', 'message-id', 'reply-to', 'to', 'cc']
const MAX_DISPLAY = 500
/** A head of more hops than that goes round in circles. */
const MOST_HOPS = 25
const PHRASE = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/

const unfolded = (value: string): string => value.replaceAll('\r\n', '').trim()

/** A name before an address, in quotes where it is not of plain words. */
const phrase = (display: string): string => {
  if (PHRASE.test(display)) return display
  // Characters are bytes here: those from 0x80 on are parts of others.
  const bare = Array.from(display, (one) => (one < ' ' || one === '\x7f' ? ' ' : one)).join('')
  return `"${bare.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
}

const isDropped = (name: string): boolean =>
  DROPPED.includes(name) || DROPPED_BEGINNINGS.some((begin) => name.startsWith(begin))

/** Whether the address is one that this sender may use. */
export const mayUse = ({ domains }: MailSender, address: string): boolean => {
  const parsed = parseMailAddress(address)
  return parsed !== null && domains.includes(parsed.domain)
}

/** Whether the message went through too many servers already. */
export const isLooping = (fields: readonly HeaderField[]): boolean =>
  fields.filter(({ name }) => name.toLowerCase() === 'received').length > MOST_HOPS

/** Addresses of To, Cc and Bcc, at most one more than `most`; null: one of the fields cannot be read. */
export const recipientsOf = (fields: readonly HeaderField[], most: number): string[] | null => {
  const found = new Set<string>()
  for (const { name, value } of fields) {
    if (!['to', 'cc', 'bcc'].includes(name.toLowerCase())) continue
    const list = readAddressList(value, most)
    if (list === null) return null
    for (const { address } of list) {
      // An empty group such as `undisclosed-recipients:;`.
      if (address !== '') found.add(address)
      if (found.size > most) return [...found]
    }
  }
  return [...found]
}

/**
 * The head with a From of the sender's own: an address of somebody else's is replaced by the
 * fallback, keeps its name, and is where answers go unless the message says so itself. Fields
 * by which a message could be taken for another's are left out, what mail must have is added.
 */
export const rewriteHead = (
  fields: readonly HeaderField[],
  sender: MailSender,
  facts: HeadFacts,
): RewrittenHead => {
  const first = (name: string): string | null => {
    const field = fields.find((one) => one.name.toLowerCase() === name)
    return field === undefined ? null : unfolded(field.value)
  }
  const given = first('from')
  const boxes = given === null || given === '' ? null : readAddressList(given, 1)
  const [box] = boxes ?? []
  const single = boxes !== null && boxes.length === 1 && box !== undefined ? box : null
  const isOwn = single !== null && mayUse(sender, single.address)
  const from = isOwn ? single.address : sender.fallback
  const display = single?.display.slice(0, MAX_DISPLAY) ?? ''
  const replaced = isOwn || given === null || given === '' ? null : (single?.address ?? '')

  const seen = new Set<string>()
  const kept = fields.filter(({ name }) => {
    const lower = name.toLowerCase()
    if (lower === 'from' || isDropped(lower)) return false
    if (!ONCE.includes(lower)) return true
    const again = seen.has(lower)
    seen.add(lower)
    // Of several To, all are recipients that the others may see.
    return !again || lower === 'to' || lower === 'cc'
  })
  const lines = [
    `Received: ${facts.received}`,
    ...kept.map(({ name, value }) => `${name}:${value}`),
    `From: ${display === '' ? from : `${phrase(display)} <${from}>`}`,
  ]
  if (replaced !== null && isMailAddress(replaced) && !seen.has('reply-to'))
    lines.push(`Reply-To: ${replaced}`)
  if (!seen.has('date')) lines.push(`Date: ${facts.date}`)
  if (!seen.has('message-id')) lines.push(`Message-ID: ${facts.messageId}`)
  if (!seen.has('to') && !seen.has('cc')) lines.push('To: undisclosed-recipients:;')
  return {
    text: `${lines.join('\r\n')}\r\n`,
    from,
    replaced,
    subject: first('subject') ?? '',
    to: first('to') ?? '',
  }
}
