import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { handshakes } from './capacity/handshakes.ts'
import { host } from './capacity/host.ts'
import type { Input, Part } from './capacity/input.ts'
import { machines } from './capacity/machines.ts'
import { machineNames, modelOf } from './capacity/model.ts'
import { purges } from './capacity/purges.ts'
import { sites } from './capacity/sites.ts'
import { stores } from './capacity/stores.ts'
import { describeMachine, describeCommit } from './support/machine.ts'
import { readOptions } from './support/read-options.ts'
import { closeStages } from './support/stage.ts'

const PARTS: readonly Part[] = [host, handshakes, sites, stores, machines, purges]

const USAGE = `npm run bench -- capacity                measures the inputs of docs/capacity.md and writes them there
npm run bench -- capacity --only a,b     only these: ${PARTS.map(({ name }) => name).join(', ')}; writes nothing
npm run bench -- capacity --quick        only to see whether everything works; writes nothing`

const values = readOptions(USAGE, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string' },
})
const root = resolve(import.meta.dirname, '..')
const PAGE = join(root, 'docs/capacity.md')

/** Three figures that count; more would be noise. */
const short = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toPrecision(value >= 10 ? 3 : 2)

const tableOf = (inputs: readonly Input[]): string =>
  [
    '| sign | what | measured |',
    '| --- | --- | --: |',
    ...inputs.map(
      ({ symbol, what, value, unit }) => `| \`${symbol}\` | ${what} | ${short(value)} ${unit} |`,
    ),
  ].join('\n')

const modelTable = (): string => {
  const names = machineNames()
  return [
    `| what | formula | ${names.join(' | ')} |`,
    `| --- | --- | ${names.map(() => '--:').join(' | ')} |`,
    ...modelOf(inputs).map(({ what, formula, values }) => {
      const cells = names.map((_, at) => values[at] ?? '')
      return `| ${what} | \`${formula}\` | ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

/** `text` with what stands between two marks replaced. */
const between = (text: string, name: string, table: string): string => {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for what is ${name}.`)
  return `${text.slice(0, from)}${begin}\n${table}\n\n${text.slice(to)}`
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void closeStages().finally(() => process.exit(130))
  })
const only = values.only?.split(',')
const wanted = PARTS.filter(({ name }) => only === undefined || only.includes(name))
const unknown = only?.filter((name) => !PARTS.some((part) => part.name === name)) ?? []
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}.\n\n${USAGE}`)
  process.exit(2)
}
const inputs: Input[] = []
for (const part of wanted) {
  console.log(`${part.name} ...`)
  inputs.push(...(await part.measure({ quick: values.quick })))
}
const table = tableOf(inputs)
console.log(table)
if (!values.quick && only === undefined) {
  const USED = new Set(['Berth', 'machine', 'system', 'Node'])
  const machine = (await describeMachine(await describeCommit(root))).filter(([name]) =>
    USED.has(name),
  )
  const when = `Measured ${new Date().toISOString().slice(0, 10)} on: ${machine.map((pair) => pair.join(' ')).join('; ')}.`
  const text = readFileSync(PAGE, 'utf8')
  const measured = between(text, 'measured', `${when}\n\n${table}`)
  const written = between(measured, 'modelled', modelTable())
  const style = await resolveConfig(PAGE)
  writeFileSync(PAGE, await format(written, { ...style, filepath: PAGE }))
}
