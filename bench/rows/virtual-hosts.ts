import { startProbe } from '../support/load/probe.ts'
import type { Effort, Family, Finding } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { siteSpecs, stageHosts, VISITED } from '../support/stage-hosts.ts'
import { timeMs, valueFinding } from '../support/findings/value-finding.ts'

const QUICK_HOSTS = 1000
const HOSTS = 10_000

const measure = (wanted: ReadonlySet<string>, effort: Effort): Promise<Finding[]> =>
  onStage(async (stage) => {
    const count = effort.quick ? QUICK_HOSTS : HOSTS
    const { web, home, port } = await stageHosts(stage)
    await port.regenerate({ hosts: siteSpecs(home, count, 60) })
    const findings: Finding[] = []
    const hosts = `${count} virtual hosts`
    const underLoad = async (
      row: string,
      what: string,
      limitMs: number,
      work: (round: number) => Promise<unknown>,
    ): Promise<void> => {
      const probe = startProbe(web.port, VISITED, ['/'], 8)
      const times: number[] = []
      for (let round = 0; round < effort.rounds; round++)
        times.push(await timeMs(() => work(round)))
      const { failures, requests } = await probe.stop()
      const subject = `${what}, ${hosts}, under load`
      findings.push(
        valueFinding(row, subject, 'time', 'ms', { atMost: limitMs }, times),
        valueFinding(row, subject, `failed of ${requests}`, 'requests', { atMost: 0 }, [
          failures.length,
        ]),
      )
    }
    if (wanted.has('vhosts-regenerate'))
      await underLoad('vhosts-regenerate', 'regenerate and load', 3000, (round) =>
        port.regenerate({ hosts: siteSpecs(home, count, 61 + round) }),
      )
    if (wanted.has('vhosts-reload'))
      await underLoad('vhosts-reload', 'graceful reload', 1000, async () => {
        const { status, body } = await web.control('POST', '/reload')
        if (status !== 200) throw new Error(`the reload was refused: ${JSON.stringify(body)}`)
      })
    return findings
  })

/** Many virtual hosts, through the agent's own port and the web server's control socket. */
export const virtualHosts: Family = {
  name: 'vhosts',
  rows: {
    'vhosts-regenerate': 'regenerate 10 k virtual hosts, one in a hundred changed, and load them',
    'vhosts-reload': 'graceful reload of 10 k virtual hosts under load',
  },
  measure: async (wanted, effort) => ({ findings: await measure(wanted, effort), figures: [] }),
}
