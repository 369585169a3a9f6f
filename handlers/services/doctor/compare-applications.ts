import type { HostPorts } from '../../ports/host/host.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

/** Names of the applications that the host knows, by account; accounts of which it does not tell are left out. */
export type HostApplications = ReadonlyMap<string, readonly string[]>

/** Asks the host for the applications of every account. */
export const readHostApplications = async (
  host: Pick<HostPorts, 'applications'>,
  accounts: readonly { username: string }[],
): Promise<HostApplications> => {
  const known = new Map<string, readonly string[]>()
  for (const { username } of accounts) {
    const states = await host.applications.states({ username }).catch(() => null)
    if (states !== null)
      known.set(
        username,
        states.map(({ name }) => name),
      )
  }
  return known
}

/** Applications that one side knows and the other does not. */
export const compareApplications = (records: Records, known: HostApplications): Diagnosis[] => {
  const found: Diagnosis[] = []
  for (const [username, names] of known) {
    const recorded = records.applications
      .filter((row) => row.username === username)
      .map(({ name }) => name)
    for (const name of recorded)
      if (!names.includes(name))
        found.push({
          kind: 'application',
          subject: `${username}/${name}`,
          what: 'is an application of the panel of which the host knows nothing',
          fix: 'Tells the host of it; deploy it then, and set its secret variables anew.',
          repair: { do: 'put-application', username, name },
          username,
        })
    for (const name of names)
      if (!recorded.includes(name))
        found.push({
          kind: 'application',
          subject: `${username}/${name}`,
          what: 'is an application of the host that the panel does not have',
          fix: 'Ends it and forgets its variables; its files stay.',
          repair: { do: 'remove-application', username, name },
          username,
        })
  }
  return found
}
