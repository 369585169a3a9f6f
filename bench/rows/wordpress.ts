import { startInstance } from '#test/support/instance.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings } from '../support/findings/compared-findings.ts'
import { pin, SERVER_CPU } from '../support/load/pin.ts'
import { prime } from '../support/load/prime.ts'
import { treeOf } from '../support/process-tree.ts'
import type { Family } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { stageWordpress, wordpressSides } from '../support/stage-wordpress.ts'

/** A real WordPress with MariaDB, its front page from the cache and made anew for each visitor. */
export const wordpress: Family = {
  name: 'wordpress',
  rows: { wordpress: 'WordPress front page, cached against its own uncached' },
  measure: (_, effort) =>
    onStage(async (stage) => {
      const instance = await startInstance({ settings: { server: 'workers = 1' } })
      stage.later(() => instance.stop())
      const panel = new PanelClient(instance)
      await panel.setup()
      const sides = await wordpressSides(instance, await stageWordpress(instance, panel))
      const { supervisor } = await instance.pids()
      await pin(
        treeOf([supervisor]).map(({ pid }) => pid),
        SERVER_CPU,
      )
      await prime(sides, stage.directory)
      // In less the uncached one would have next to no answers.
      const longer = { ...effort, seconds: Math.max(1, effort.seconds) }
      const runs = await compare(sides, longer, stage.directory)
      const against = [{ name: 'uncached', bar: { atLeast: 200 } }]
      const work = wordpress.rows['wordpress'] ?? 'WordPress'
      return comparedFindings({ row: 'wordpress', work, ours: 'cached', against }, runs)
    }),
}
