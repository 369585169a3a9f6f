import { describe, expect, it } from 'vitest'
import { TicketKeys } from '#adapters/node/web-server/tls/ticket-keys.ts'

describe('ticket keys', () => {
  it('are replaced from time to time, and handed out each time', async () => {
    let told: (keys: Uint8Array) => void = () => undefined
    const first = new Promise<Uint8Array>((resolve) => (told = resolve))
    const keys = new TicketKeys((now) => told(now), 5)
    const before = keys.current
    expect(before).toHaveLength(48)
    const after = await first
    expect(after).toHaveLength(48)
    expect(Buffer.from(after).equals(before)).toBe(false)
    const second = await new Promise<Uint8Array>((resolve) => (told = resolve))
    keys.close()
    expect(keys.current).toBe(second)
    expect(Buffer.from(second).equals(after)).toBe(false)
  })
})
