import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Writable } from 'node:stream'
import { conflict, notFound, unavailable } from '#handlers/errors.ts'
import { MOVE_PIECE_BYTES } from '#handlers/ports/host/accounts/moves.ts'
import type { MoveReceipt, MovesPort } from '#handlers/ports/host/accounts/moves.ts'
import { createOutlet } from './outlet.ts'
import type { Outlet } from './outlet.ts'

/** Each may be two processes. */
const MAX_OPEN = 8
/** Of one that nobody goes on with. */
const IDLE_MS = 10 * 60_000
/** Below what a call may take. */
const PATIENCE_MS = 8000

/** What a stream does, from what comes to what goes. */
export type StreamWork = (ends: {
  input: PassThrough
  output: Writable
}) => Promise<Omit<MoveReceipt, 'beganSecs'>>

interface Open {
  input: PassThrough
  outlet: Outlet
  done: Promise<MoveReceipt>
  fault: { error: unknown } | null
  written: number
  /** What was read last, which is given again to who did not get it. */
  last: { number: number; piece: { content: string; ended: boolean } } | null
  turn: Promise<unknown>
  timer: NodeJS.Timeout
}

/** Streams of moves, by their ids, in numbered pieces. */
export interface MoveStreams extends Pick<MovesPort, 'read' | 'write' | 'receipt' | 'drop'> {
  begin(streamId: string, work: StreamWork): void
  stop(): void
}

const within = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([work.then(() => undefined), late]).finally(() => clearTimeout(timer))
}

export const createMoveStreams = (idleMs = IDLE_MS): MoveStreams => {
  const open = new Map<string, Open>()
  const end = (streamId: string): void => {
    const one = open.get(streamId)
    if (one === undefined) return
    open.delete(streamId)
    clearTimeout(one.timer)
    const over = conflict('The move was given up.')
    one.input.destroy(over)
    one.outlet.stream.destroy(over)
  }
  const known = (streamId: string): Open => {
    const one = open.get(streamId)
    if (one === undefined)
      throw notFound('The host has no such stream; its agent was restarted. Move the account anew.')
    one.timer.refresh()
    return one
  }
  /** One after the other: numbers count. */
  const inTurn = <T>(one: Open, work: () => Promise<T>): Promise<T> => {
    const mine = one.turn.then(work, work)
    one.turn = mine.catch(() => undefined)
    return mine
  }
  const assertWell = ({ fault }: Open): void => {
    if (fault !== null) throw fault.error
  }

  const nextPiece = async (one: Open): Promise<{ content: string; ended: boolean } | null> => {
    const { outlet } = one
    const until = Date.now() + PATIENCE_MS
    const isWhole = (): boolean => outlet.ended() || outlet.have() >= MOVE_PIECE_BYTES
    while (one.fault === null && !isWhole() && Date.now() < until)
      await outlet.stirred(until - Date.now())
    assertWell(one)
    if (outlet.have() === 0 && !outlet.ended()) return null
    const content = outlet.take(MOVE_PIECE_BYTES).toString('base64')
    const ended = outlet.ended() && outlet.have() === 0
    // A program that failed has written all that it would, too.
    if (ended)
      await within(
        PATIENCE_MS,
        one.done.catch(() => undefined),
      )
    assertWell(one)
    return { content, ended }
  }

  return {
    begin(streamId, work) {
      if (open.has(streamId)) return
      if (open.size >= MAX_OPEN)
        throw unavailable('Several accounts are being moved at once. Try again when one is done.')
      const input = new PassThrough({ highWaterMark: 2 * MOVE_PIECE_BYTES })
      const outlet = createOutlet(2 * MOVE_PIECE_BYTES)
      for (const stream of [input, outlet.stream]) stream.on('error', () => undefined)
      const beganSecs = Math.floor(Date.now() / 1000)
      const done = work({ input, output: outlet.stream }).then((receipt) => ({
        ...receipt,
        beganSecs,
      }))
      const one: Open = {
        ...{ input, outlet, done, fault: null, written: 0, last: null, turn: Promise.resolve() },
        timer: setTimeout(() => end(streamId), idleMs).unref(),
      }
      done.catch((error: unknown) => {
        one.fault = { error }
        input.destroy()
        outlet.stream.destroy()
        outlet.stir()
      })
      open.set(streamId, one)
    },
    read: ({ streamId, number }) => {
      const one = known(streamId)
      return inTurn(one, async () => {
        if (one.last?.number === number) return one.last.piece
        if (number !== (one.last?.number ?? -1) + 1) throw conflict('Pieces of a move are missing.')
        const piece = await nextPiece(one)
        if (piece !== null) one.last = { number, piece }
        return piece
      })
    },
    write: ({ streamId, number, content, last }) => {
      const one = known(streamId)
      return inTurn(one, async () => {
        assertWell(one)
        if (number < one.written) return
        if (number > one.written) throw conflict('Pieces of a move are missing.')
        const { input } = one
        const stalled = !input.write(Buffer.from(content, 'base64'))
        one.written += 1
        if (last) input.end()
        else if (stalled) {
          const drained = once(input, 'drain').catch(() => undefined)
          await Promise.race([drained, one.done.catch(() => undefined)])
        }
        assertWell(one)
      })
    },
    async receipt({ streamId }) {
      const one = known(streamId)
      let receipt: MoveReceipt | null = null
      await within(
        PATIENCE_MS,
        one.done.then((done) => (receipt = done)),
      )
      return receipt
    },
    async drop({ streamId }) {
      end(streamId)
    },
    stop() {
      for (const streamId of [...open.keys()]) end(streamId)
    },
  }
}
