import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import {
  boundPieces,
  PacedPieces,
  readAway,
} from '#adapters/node/web-server/http1/slow/paced-pieces.ts'

/** A connection that is never empty: as many bytes as are asked for, each in a piece of its own. */
const endless = (count: number): { body: Readable; given: () => number } => {
  let given = 0
  const body = new Readable({
    read() {
      while (given < count) if (!this.push(Buffer.of(given++ & 255))) return
      this.push(null)
    },
  })
  boundPieces(body)
  return { body, given: () => given }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('brings a body of many pieces whole, in few', async () => {
  const count = 200_000
  const { body } = endless(count)
  const taken: Buffer[] = []
  const ended = new Promise((resolve) => body.on('end', resolve))
  const pieces = new PacedPieces(body, (piece) => {
    taken.push(piece)
    queueMicrotask(() => void pieces.resume())
  })
  void pieces.resume()
  await ended
  const whole = Buffer.concat(taken)
  expect(whole.length).toBe(count)
  expect(whole.every((byte, at) => byte === (at & 255))).toBe(true)
  expect(taken.length).toBeLessThan(count / 1000)
})

it('lets others have their turn between them', async () => {
  const { body, given } = endless(10_000_000)
  const pieces = new PacedPieces(body, () => queueMicrotask(() => void pieces.resume()))
  void pieces.resume()
  for (let turns = 1; turns <= 20; turns++) {
    await turn()
    expect(given()).toBeLessThan(turns * 50_000)
  }
  body.destroy()
})

it('takes nothing before it is asked to, and one piece each time', async () => {
  const { body } = endless(10)
  const sizes: number[] = []
  const pieces = new PacedPieces(body, (piece) => void sizes.push(piece.length))
  await turn()
  expect(sizes).toEqual([])
  void pieces.resume()
  await turn()
  const seen = [...sizes]
  expect(seen.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(0)
  await turn()
  expect(sizes).toEqual(seen)
  body.destroy()
})

it('reads away what nobody wants', async () => {
  const { body, given } = endless(100_000)
  const ended = new Promise((resolve) => body.on('end', resolve))
  readAway(body)
  await ended
  expect(given()).toBe(100_000)
})

it('lets others have their turn where a parser runs promises after each piece', async () => {
  const body = new Readable({ read: () => undefined })
  let taken = 0
  const pieces = new PacedPieces(body, () => {
    taken++
    queueMicrotask(() => void pieces.resume())
  })
  void pieces.resume()
  let hadTurn = false
  setImmediate(() => (hadTurn = true))
  // As node:http does for a connection that its parser reads: one piece, then all that waits for it.
  for (let given = 0; given < 2000 && !hadTurn; given++) {
    body.push(Buffer.of(given & 255))
    await new Promise((resolve) => process.nextTick(resolve))
  }
  expect(hadTurn).toBe(false)
  expect(taken).toBeLessThan(100)
  body.destroy()
})
