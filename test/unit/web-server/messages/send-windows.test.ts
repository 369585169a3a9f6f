import { describe, expect, it } from 'vitest'
import { SendWindows } from '#adapters/node/web-server/http2/session/send-windows.ts'

const INITIAL = 65_535
const LARGEST = 2 ** 31 - 1

describe('windows of streams', () => {
  it('grow to what any can be, with what was sent', () => {
    const windows = new SendWindows()
    windows.begin(1)
    expect(windows.grow(1, LARGEST - INITIAL, INITIAL)).toBe(true)
    expect(windows.grow(1, 1, INITIAL)).toBe(false)
    windows.begin(3)
    windows.sent(3, 10, false)
    expect(windows.grow(3, LARGEST - INITIAL + 10, INITIAL)).toBe(true)
  })

  it('are not remembered of streams that are over, or never were', () => {
    const windows = new SendWindows()
    windows.begin(1)
    windows.sent(1, 10, true)
    for (const stream of [1, 3]) {
      expect(windows.grow(stream, LARGEST, INITIAL)).toBe(true)
      expect(windows.grow(stream, LARGEST, INITIAL)).toBe(true)
    }
  })
})
