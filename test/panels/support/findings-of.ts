import { readFileSync } from 'node:fs'
import type { SeveralPanels } from './several-panels.ts'

interface Examination {
  clean: boolean
  missing: unknown[]
}

/** What is not as it must be once everything has come to rest; empty: nothing. */
export const findingsOf = async (all: SeveralPanels): Promise<unknown[]> => {
  const client = all.panels[0]!.client
  const notOnce = await all.query(
    `select operations.id, kind, subject, operations.state, count(test_ends.id) as ends from operations
      left join test_ends on test_ends.id = operations.id
      group by operations.id, kind, subject, operations.state
      having operations.state = 'open' or count(test_ends.id) <> 1`,
  )
  const jobs = await all.query(`select id, kind, state from jobs where finished_at is null`)
  const examined = await client.data<Examination>('GET', '/api/doctor')
  const recorded = (await client.data<{ username: string }[]>('GET', '/api/accounts')).map(
    ({ username }) => username,
  )
  const home = `${all.instance.config.paths.home_base}/`
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields[5]?.startsWith(home))
    .map(([name]) => name)
  const half = [...new Set([...recorded, ...users])].filter(
    (name) => !users.includes(name) || !recorded.includes(name ?? ''),
  )
  return [...notOnce, ...jobs, ...half, ...(examined.clean ? [] : [examined])]
}
