import { setTimeout } from 'node:timers/promises'
import { proportionalBytes } from '../support/process-tree.ts'
import { timeMs } from '../support/findings/value-finding.ts'
import { onStage } from '../support/stage.ts'
import { siteSpecs, stageHosts } from '../support/stage-hosts.ts'
import { MB, middle, type Input, type Part } from './input.ts'

/** Workers that were replaced have ended by then. */
const REST_MS = 3000

/** What sites cost that nobody asks for: memory of all processes of the web server, and a reload. */
export const sites: Part = {
  name: 'sites',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const { web, home, port } = await stageHosts(stage)
      const inputs: Input[] = []
      for (const count of quick ? [100] : [100, 1000, 10_000]) {
        await port.regenerate({ hosts: siteSpecs(home, count, 60) })
        const times: number[] = []
        for (let round = 0; round < (quick ? 1 : 5); round++)
          times.push(await timeMs(() => web.control('POST', '/reload')))
        await setTimeout(REST_MS)
        const memory = proportionalBytes([web.pid]) / MB
        const under = `${count} sites, two workers`
        inputs.push(
          { symbol: `R(${count})`, what: `a reload, ${under}`, value: middle(times), unit: 'ms' },
          {
            ...{ symbol: `W(${count})`, what: `the whole web server, ${under}` },
            ...{ value: memory, unit: 'MB' },
          },
        )
      }
      return inputs
    }),
}
