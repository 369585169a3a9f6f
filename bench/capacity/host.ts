import { readFileSync } from 'node:fs'
import { startInstance } from '#test/support/instance.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { compare } from '../support/findings/compare.ts'
import { prime } from '../support/load/prime.ts'
import { proportionalBytes, treeOf } from '../support/process-tree.ts'
import { onStage } from '../support/stage.ts'
import { stageWordpress, wordpressSides } from '../support/stage-wordpress.ts'
import { MB, middle, type Input, type Part } from './input.ts'

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return '' // ended meanwhile
  }
}

/** Memory of the single processes below a process whose command line fits. */
const each = (root: number, fits: RegExp): number[] =>
  treeOf([root])
    .filter(({ pid }) => fits.test(commandOf(pid)))
    .map(({ pid }) => proportionalBytes([pid]) / MB)

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

/** What one machine's processes hold, and what a request costs of a processor, with a real WordPress. */
export const host: Part = {
  name: 'host',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const instance = await startInstance({ settings: { server: 'workers = 2' } })
      stage.later(() => instance.stop())
      const panel = new PanelClient(instance)
      await panel.setup()
      const { supervisor, web } = await instance.pids()
      const tenant = await stageWordpress(instance, panel)
      const sides = await wordpressSides(instance, tenant)
      await prime(sides, stage.directory)
      const effort = { quick, rounds: quick ? 1 : 3, seconds: quick ? 1 : 4, warmSeconds: 1 }
      const runs = await compare(sides, effort, stage.directory)
      const microseconds = (side: string): number =>
        1e6 / middle((runs.get(side) ?? []).map(({ perCpuSecond }) => perCpuSecond))
      // After the load: what was used once stays.
      const workers = each(web, /web-worker/)
      const masters = each(supervisor, /php-fpm: master/)
      const children = each(supervisor, /php-fpm: pool/)
      const engines = each(supervisor, /mariadbd/)
      const all = proportionalBytes([supervisor]) / MB
      const rest = all - sum(workers) - sum(masters) - sum(children) - sum(engines)
      const inputs: [string, string, number, string][] = [
        ['M0', 'supervisor, agent, panel and the web server’s primary', rest, 'MB'],
        ['Mw', 'a worker of the web server, without pages', middle(workers), 'MB'],
        [
          'Mm',
          'a master of PHP with the compiled code, one for each account with PHP in use',
          middle(masters),
          'MB',
        ],
        ['Mc', 'a child of PHP that has run WordPress, besides', middle(children), 'MB'],
        ['Me', 'MariaDB as Berth starts it, one small database', sum(engines), 'MB'],
        ['th', 'a hit of WordPress’ front page', microseconds('cached'), 'µs of a processor'],
        [
          'tp',
          'the same page made anew: web server, PHP and MariaDB',
          microseconds('uncached') / 1000,
          'ms of a processor',
        ],
      ]
      return inputs.map(([symbol, what, value, unit]): Input => ({ symbol, what, value, unit }))
    }),
}
