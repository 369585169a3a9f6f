import { describe, expect, it } from 'vitest'
import { MAX_HEAD_BYTES } from '#adapters/node/web-server/http1/head/head-parser.ts'
import { KnownTargets } from '#adapters/node/web-server/http1/head/known-targets.ts'
import { RequestReader } from '#adapters/node/web-server/http1/head/request-reader.ts'
import { compareReadings, escaped, type Tally } from '../support/compare-readings.ts'
import { generateConnection } from '../support/head-generator.ts'
import { NodeReader } from '../support/node-reader.ts'
import { Random } from '../support/random.ts'

/** Another seed, or more of it: `FUZZ_SEED=7 FUZZ_CONNECTIONS=500000`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122)
const CONNECTIONS = Number(process.env['FUZZ_CONNECTIONS'] ?? 20_000)
const AT_ONCE = 200

const told = ({ differences }: Tally): string[] =>
  differences.slice(0, 3).map(({ text, why }) => `seed ${SEED}: ${why}\n${escaped(text)}`)

describe('whatever the bytes of a connection are', () => {
  it('the strict parser and what it hands over are together what node:http reads', async () => {
    const random = new Random(SEED)
    const reader = new NodeReader(MAX_HEAD_BYTES)
    const sum: Tally = { differences: [], accepted: 0, known: 0, handedOver: 0, refused: 0 }
    for (let done = 0; done < CONNECTIONS; done += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, () => generateConnection(random))
      const tally = await compareReadings(some, reader, MAX_HEAD_BYTES)
      expect(told(tally)).toEqual([])
      sum.accepted += tally.accepted
      sum.known += tally.known
      sum.handedOver += tally.handedOver
      sum.refused += tally.refused
    }
    // Otherwise nothing was tried.
    expect(sum.accepted).toBeGreaterThan(CONNECTIONS / 3)
    expect(sum.known).toBeGreaterThan(CONNECTIONS / 20)
    expect(sum.handedOver).toBeGreaterThan(CONNECTIONS / 3)
    expect(sum.refused).toBeGreaterThan(CONNECTIONS / 5)
  })

  it('a beginning of them is never a head that the whole is not', () => {
    const random = new Random(SEED + 1)
    const targets = new KnownTargets()
    const fresh = (): RequestReader => new RequestReader(MAX_HEAD_BYTES, targets)
    for (let done = 0; done < CONNECTIONS / 20; done++) {
      const text = generateConnection(random)
      const bytes = Buffer.from(text, 'latin1')
      const whole = fresh().read(bytes, 0)
      const wrong: number[] = []
      const remembering = fresh()
      for (let end = 1; end < Math.min(bytes.length, 1500); end++) {
        const found = fresh().read(bytes.subarray(0, end), 0)
        const again = remembering.read(bytes.subarray(0, end), 0)
        if (found > 0 && found !== whole) wrong.push(end)
        if (again > 0 && again !== whole) wrong.push(end)
        if (whole > 0 && end < whole && found !== 0) wrong.push(end)
      }
      expect(wrong, `seed ${SEED + 1}: ${escaped(text)}`).toEqual([])
    }
  })
})
