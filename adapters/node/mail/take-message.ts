import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { randomBytes } from 'node:crypto'
import { decodeWords } from '#handlers/domain/mail/decode-words.ts'
import { headEnd, readHeaderBlock } from '#handlers/domain/mail/header-block.ts'
import type { HeaderField } from '#handlers/domain/mail/header-block.ts'
import { isMailAddress } from '#handlers/domain/mail/mail-address.ts'
import { isLooping, mayUse, recipientsOf, rewriteHead } from '#handlers/domain/mail/rewrite-head.ts'
import { LineEnds } from './line-ends.ts'
import { noteRefusal, refuse, Refusal } from './refusal.ts'
import type { QueueContext } from './queue-context.ts'
import { senderOf } from './sender-of.ts'
import type { SubmissionHead } from './submission-head.ts'

/** A head that is longer is refused: nothing that people send has one. */
const MAX_HEAD_BYTES = 256 * 1024
/** Waiting messages of one account. */
const MOST_WAITING = 2000
/** Of what all may keep, one account has so much at most, or it would be the only one. */
const SHARE_OF_ALL = 4
const MAX_SUBJECT = 250

const HEAD_END = '\r\n\r\n'

/** Reads pieces until the head is whole. However small they are, each is looked at once. */
const readHead = async (
  pieces: AsyncIterator<Uint8Array>,
  ends: LineEnds,
): Promise<{ head: string; rest: Buffer }> => {
  const read: string[] = []
  let length = 0
  /** Of what was read, as much as may be the beginning of the end. */
  let tail = ''
  for (;;) {
    const { value, done } = await pieces.next()
    // A lone field without a body is a message too.
    if (done === true) return { head: `${read.join('')}${HEAD_END}`, rest: Buffer.alloc(0) }
    const text = ends.push(value).toString('latin1')
    if (text === '') continue
    const found = length === 0 ? headEnd(text) : `${tail}${text}`.indexOf(HEAD_END)
    if (found !== -1) {
      const end = length === 0 ? found : found + HEAD_END.length - tail.length
      const rest = Buffer.from(text.slice(end), 'latin1')
      return { head: `${read.join('')}${text.slice(0, end)}`, rest }
    }
    length += text.length
    if (length > MAX_HEAD_BYTES)
      throw refuse('data', `The head of the message is longer than ${MAX_HEAD_BYTES} bytes.`)
    read.push(text)
    tail = `${tail}${text}`.slice(1 - HEAD_END.length)
  }
}

const recipientsOfAll = (
  { recipients, extract }: SubmissionHead,
  fields: readonly HeaderField[],
  most: number,
): string[] => {
  const found = new Set(recipients)
  if (extract) {
    const named = recipientsOf(fields, most)
    if (named === null)
      throw refuse('data', 'To, Cc or Bcc cannot be read. Write addresses separated by commas.')
    for (const one of named) found.add(one)
  }
  if (found.size === 0) throw refuse('usage', 'The message has no recipient.')
  if (found.size > most)
    throw refuse('limit', `A message may have ${most} recipients. Send it in parts.`)
  for (const address of found)
    if (!isMailAddress(address))
      throw refuse(
        'recipient',
        `"${address.slice(0, 254)}" is no address that can be sent to. Write name@example.com.`,
      )
  return [...found]
}

const checkRoom = ({ records, usage, config }: QueueContext, account: string, mails: number) => {
  const { per_hour: perHour, keep_size: keepSize } = config()
  const held = records.held(account)
  if (held.waiting >= MOST_WAITING)
    throw refuse('limit', `${held.waiting} messages wait already. Try again when some have left.`)
  // What the panel has to say is short, and a few accounts together could keep it from being said.
  const isFull = account !== '' && records.storedBytes() >= keepSize
  if (isFull || held.bytes >= keepSize / SHARE_OF_ALL)
    throw refuse('limit', 'There is no room for more messages. Remove some that wait or failed.')
  if (usage.ofAll() + mails > perHour)
    throw refuse('limit', 'This server sent as many mails as it may in an hour. Try again later.')
  if (account === '') return
  const may = usage.allowance(account)
  for (const [sent, most, what] of [
    [may.lastHour, may.perHour, 'an hour'],
    [may.lastDay, may.perDay, '24 hours'],
  ] as const)
    if (sent + mails > most)
      throw refuse(
        'account limit',
        `The account may send ${most} mails in ${what}. Try again later.`,
      )
}

/**
 * Takes one message of an account ('' is the panel): reads it piece by piece, makes its
 * sender the account's, and puts it on the disk and into the queue. Answers its id; throws
 * `Refusal`, which stands in the list too. `isOpen`: whether the account is still there.
 */
export const takeMessage = async (
  context: QueueContext,
  account: string,
  order: SubmissionHead,
  source: AsyncIterable<Uint8Array>,
  isOpen = (): boolean => true,
): Promise<string> => {
  const { config, records, files, usage, nowMs } = context
  const id = `${nowMs().toString(36)}${randomBytes(8).toString('hex')}`
  const seen = { subject: '', from: '', to: order.recipients }
  try {
    const sender = await senderOf(context, account)
    const pieces = source[Symbol.asyncIterator]()
    const ends = new LineEnds()
    const { head, rest } = await readHead(pieces, ends)
    const block = readHeaderBlock(head)
    if (block === null) throw refuse('data', 'The message has too many fields in its head.')
    if (isLooping(block.fields))
      throw refuse('data', 'The message went through too many servers: it goes round in circles.')
    const recipients = recipientsOfAll(order, block.fields, config().max_recipients)
    const hello = context.hello()
    const date = new Date(nowMs()).toUTCString().replace('GMT', '+0000')
    const fields =
      order.fullName === null || block.fields.some(({ name }) => name.toLowerCase() === 'from')
        ? block.fields
        : [...block.fields, { name: 'From', value: ` ${order.fullName} <${sender.fallback}>` }]
    const made = rewriteHead(fields, sender, {
      date,
      messageId: `<${id}@${sender.fallback.slice(sender.fallback.indexOf('@') + 1)}>`,
      received: `by ${hello} (Berth) id ${id}; ${date}`,
    })
    seen.subject = decodeWords(made.subject, MAX_SUBJECT)
    seen.from = made.from
    seen.to = recipients
    checkRoom(context, account, recipients.length)

    const file = await files.create(id)
    let size = 0
    try {
      const most = config().max_message_size
      const add = async (bytes: Buffer): Promise<void> => {
        size += bytes.length
        if (size > most) throw refuse('data', `A message may have ${inMegabytes(most)}.`)
        await file.write(bytes)
      }
      await add(Buffer.from(`${made.text}\r\n`, 'latin1'))
      await add(Buffer.concat([Buffer.from(head.slice(block.bodyAt), 'latin1'), rest]))
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
        await add(ends.push(next.value))
      await file.finish()
      // Looked at once more: others came meanwhile.
      checkRoom(context, account, recipients.length)
      if (!isOpen()) throw refuse('unavailable', 'The account was removed.')
    } catch (error) {
      await file.abandon()
      throw error
    }
    const isKept = config().relay === null
    usage.count(account, recipients.length)
    records.put({
      id,
      account,
      state: isKept ? 'kept' : 'queued',
      sender: order.sender !== null && mayUse(sender, order.sender) ? order.sender : made.from,
      from: made.from,
      replacedFrom: made.replaced === null ? null : made.replaced.slice(0, 254),
      recipients: recipients.map((address) => ({ address, state: 'waiting', answer: null })),
      subject: seen.subject,
      sizeBytes: size,
      attempts: 0,
      createdMs: nowMs(),
      nextMs: isKept ? null : nowMs(),
      endedMs: null,
      answer: null,
      hasSource: true,
    })
    return id
  } catch (error) {
    // Whoever gets the name next is to find nothing of it.
    if (error instanceof Refusal && isOpen()) noteRefusal(context, { id, account, ...seen }, error)
    throw error
  }
}
