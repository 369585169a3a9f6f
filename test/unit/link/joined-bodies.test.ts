import { expect, it } from 'vitest'
import { createJoinedBodies } from '#adapters/node/agent/calls/joined-bodies.ts'
import {
  PART_BYTES,
  readJoined,
  writeJoined,
  writePart,
} from '#adapters/shared/host-rpc/link/body-parts.ts'
import { sha256Hex } from '#adapters/shared/host-rpc/signed-call.ts'

const ID = '0123456789abcdef'.repeat(2)
const part = (number: number, text: string, id = ID) =>
  writePart({ id, number, bytes: new Uint8Array(new TextEncoder().encode(text)) })
const named = async (text: string, id = ID) => ({
  ...{ id, sizeBytes: text.length },
  sha256: await sha256Hex(new Uint8Array(new TextEncoder().encode(text))),
})

it('joins parts in their order, once, and for their panel alone', async () => {
  const bodies = createJoinedBodies()
  expect(bodies.take('panel-1', part(0, 'one '))).toBe(true)
  expect(bodies.take('panel-1', part(0, 'one '))).toBe(true)
  expect(bodies.take('panel-1', part(2, 'three'))).toBe(false)
  expect(bodies.take('panel-1', part(1, 'two'))).toBe(true)
  expect(await bodies.join('panel-2', await named('one two'))).toBeNull()
  const whole = await bodies.join('panel-1', await named('one two'))
  expect(new TextDecoder().decode(whole ?? undefined)).toBe('one two')
  expect(await bodies.join('panel-1', await named('one two'))).toBeNull()
})

it('joins nothing that is shorter, longer or another one than was said', async () => {
  const bodies = createJoinedBodies()
  bodies.take('panel-1', part(0, 'one'))
  expect(await bodies.join('panel-1', await named('one two'))).toBeNull()
  bodies.take('panel-1', part(0, 'one'))
  expect(await bodies.join('panel-1', await named('two'))).toBeNull()
})

it('holds few bodies of a panel, bounded together, and forgets what nobody goes on with', async () => {
  const bodies = createJoinedBodies(20)
  const ids = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(32))
  expect(ids.map((id) => bodies.take('panel-1', part(0, 'x', id)))).toEqual([
    ...[true, true, true, true, false],
  ])
  await expect.poll(() => bodies.take('panel-1', part(0, 'x', 'f'.repeat(32)))).toBe(true)
  const large = writePart({ id: ID, number: 0, bytes: new Uint8Array(PART_BYTES + 1) })
  expect(bodies.take('panel-1', large)).toBe(false)
})

it('takes no text for a joined body that is none', async () => {
  const joined = await named('one two')
  expect(readJoined(writeJoined(joined))).toEqual(joined)
  const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text))
  for (const text of ['{"input":1}', '{"joined":', '{"joined":{"id":"x"}}', 'x'.repeat(300)])
    expect(readJoined(bytes(text))).toBeNull()
})
