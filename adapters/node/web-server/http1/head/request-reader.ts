import { deviceClass } from '#edge-cache/index.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import { hitTail, logTail } from '../../log/access-log.ts'
import type { Field } from '../../../messages/quick-headers.ts'
import { fieldsOfBlock } from './fields-of-block.ts'
import { HAND_OVER, MAX_HEAD_BYTES, parseHead, parseRequestLine } from './head-parser.ts'
import { createHead, type Head } from './head.ts'
import { admitsHtml, cookieJudge } from '../fast/fast-facts.ts'
import type { FastRequest } from '../fast/fast-path.ts'
import { Visitor } from '../../figures/visitor.ts'
import { KnownTargets, type KnownTarget } from './known-targets.ts'

/** What a header block said, kept as long as the connection repeats it. */
export interface BlockFacts extends FastRequest {
  /** See `logTail`. */
  tail: string
  /** See `hitTail`. */
  hitTail: Uint8Array
  /** For figures. */
  visitor: Visitor
  hostHash: number
  /** Value of If-None-Match; null when there is none. */
  etag: string | null
  close: boolean
  special: boolean
}

const NO_FACTS: BlockFacts = {
  host: '',
  port: null,
  acceptEncoding: null,
  device: () => 'desktop',
  hasBypassCookie: () => true,
  tail: '',
  hitTail: new Uint8Array(),
  visitor: new Visitor('', '', null, null, () => null),
  hostHash: 0,
  etag: null,
  close: false,
  special: true,
}

const FORWARDED = 'x-forwarded-for'

const hashOf = (text: string): number => {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return hash
}

/**
 * Reads heads of one connection. Clients repeat their header block byte for
 * byte, so the last judged one is remembered and compared from the request
 * line's CR on; only bytes already judged are skipped that way.
 */
export class RequestReader {
  readonly head: Head = createHead()
  facts: BlockFacts = NO_FACTS
  /** The Host field as sent, with its port. */
  #hostField = ''
  #block: Buffer | null = null
  #fields: readonly Field[] | null = null
  readonly #maxHeadBytes: number
  readonly #targets: KnownTargets
  /** Who sent the head before. */
  #visitor: Visitor
  readonly #forwarded = (): string | null => {
    const values = this.fields.filter(([name]) => name === FORWARDED).map(([, value]) => value)
    return values.length === 0 ? null : values.join(',')
  }

  /**
   * Heads longer than `maxHeadBytes` are handed over. `targets` is shared by a worker's
   * connections; `address` is the client's.
   */
  constructor(maxHeadBytes: number = MAX_HEAD_BYTES, targets = new KnownTargets(), address = '') {
    this.#targets = targets
    this.#visitor = new Visitor('', address, null, null, this.#forwarded)
    this.#maxHeadBytes = Math.min(maxHeadBytes, MAX_HEAD_BYTES)
  }

  /** The Host field as it was sent. */
  get hostField(): string {
    return this.#hostField
  }

  /**
   * Fields of the head just read, in the form that `QuickHeaders` takes: the same list,
   * which nobody changes, as long as the connection repeats its header block.
   */
  get fields(): readonly Field[] {
    return (this.#fields ??= fieldsOfBlock(this.#block?.toString('latin1') ?? ''))
  }

  /** As `parseHead`; on success `facts` belongs to the head as well. */
  read(bytes: Buffer, start: number): number {
    const remembered = this.#block
    if (remembered !== null) {
      const blockStart = parseRequestLine(bytes, start, bytes.length, this.head)
      const end = blockStart + remembered.length
      if (blockStart > 0 && end <= bytes.length && end - start <= this.#maxHeadBytes) {
        if (bytes.compare(remembered, 0, remembered.length, blockStart, end) === 0) {
          this.head.blockStart = blockStart
          return end
        }
      } else if (blockStart === HAND_OVER) return HAND_OVER
    }
    const next = parseHead(bytes, start, bytes.length, this.head, this.#maxHeadBytes)
    if (next > 0) this.#remember(bytes, next)
    return next
  }

  /** The request target of the head just read. */
  target(bytes: Buffer): string {
    return bytes.toString('latin1', this.head.targetStart, this.head.targetEnd)
  }

  /** The target of the head just read, when it is one that is asked for again and again. */
  known(bytes: Buffer): KnownTarget | null {
    const { targetStart, targetEnd, targetHash } = this.head
    return this.#targets.find(bytes, targetStart, targetEnd, targetHash ^ this.facts.hostHash)
  }

  #remember(bytes: Buffer, end: number): void {
    const { head } = this
    const text = (from: number, to: number): string | null =>
      from === -1 ? null : bytes.toString('latin1', from, to)
    this.#hostField = text(head.hostStart, head.hostEnd) ?? ''
    // A field that is no host names no virtual host; the slow path answers 400.
    const named = parseHost(this.#hostField)
    const host = named?.name ?? ''
    const accept = text(head.acceptStart, head.acceptEnd)
    const agent = text(head.agentStart, head.agentEnd)
    const referer = text(head.refererStart, head.refererEnd)
    const tail = logTail(referer, agent, host)
    this.#visitor = this.#visitor.next(host, agent, referer)
    this.facts = {
      host,
      port: named?.port ?? null,
      hostHash: hashOf(host),
      device: () => deviceClass(agent),
      acceptEncoding: text(head.codingsStart, head.codingsEnd),
      hasBypassCookie: cookieJudge(text(head.cookieStart, head.cookieEnd)),
      tail,
      hitTail: hitTail(tail),
      visitor: this.#visitor,
      etag: text(head.etagStart, head.etagEnd),
      close: head.close,
      special: head.special || !admitsHtml(accept),
    }
    this.#block = Buffer.from(bytes.subarray(head.blockStart, end))
    this.#fields = null
  }
}
