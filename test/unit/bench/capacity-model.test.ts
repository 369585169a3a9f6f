import { expect, it } from 'vitest'
import { machineNames, modelOf } from '../../../bench/capacity/model.ts'

const INPUTS = {
  ...{ M0: 400, Mw: 100, Mm: 90, Mc: 5, Me: 100, th: 20, tp: 100, ts: 1 },
  ...{ 'W(100)': 200, 'W(10000)': 497, 'R(10000)': 500, 'w(PostgreSQL)': 300 },
}
const inputsWithout = (name?: string) =>
  Object.entries(INPUTS)
    .filter(([symbol]) => symbol !== name)
    .map(([symbol, value]) => ({ symbol, value, what: '', unit: '' }))

it('reckons by its formulae', () => {
  // Of 4 GB 2,400 MB are reckoned with; 956 are taken before any site.
  expect(modelOf(inputsWithout()).map(({ values }) => values[0])).toEqual([
    14,
    Math.floor(1444 / 0.03),
    20_000,
    60_000,
    12,
    1200,
    10,
  ])
  for (const { values } of modelOf(inputsWithout()))
    expect([1, machineNames().length]).toContain(values.length)
})

it('does without no input', () => {
  for (const name of Object.keys(INPUTS))
    expect(() => modelOf(inputsWithout(name))).toThrow(`${name} was not measured`)
})
