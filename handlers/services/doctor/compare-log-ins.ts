import type { LoginDifference, SftpPort } from '../../ports/host/sftp.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

/** How the host has the log-ins of one account. */
interface HostLogIns {
  users: Awaited<ReturnType<SftpPort['userProblems']>>
  differences: LoginDifference[]
}

/** What the host has of them. */
export interface HostLogInsOf {
  byUsername: ReadonlyMap<string, HostLogIns>
  /** At which accounts are told to log in, and nobody listens. */
  silentPorts: readonly number[]
}

/** Asks the host for the log-ins of all accounts; none where it has no SFTP. */
export const readLogIns = async (
  { sftp }: { sftp: SftpPort },
  turn: SftpTurn,
  { accounts }: Records,
): Promise<HostLogInsOf> => {
  const { available, silentPorts } = await sftp.details()
  if (!available) return { byUsername: new Map(), silentPorts: [] }
  const found = new Map<string, HostLogIns>()
  for (const account of accounts) {
    const { username, status } = account
    if (status !== 'active' && status !== 'suspended') continue
    const users = await sftp.userProblems({ username })
    // An account that only one of them has is told elsewhere.
    const differences = await turn
      .loginsOf(account)
      .then((logins) => sftp.loginDifferences(logins))
      .catch(() => [])
    found.set(username, { users, differences })
  }
  return { byUsername: found, silentPorts }
}

const keys = (count: number): string => (count === 1 ? 'an SSH key' : `${count} SSH keys`)

const differencesOf = ({ missingKeys, unknownKeys, passwords }: LoginDifference): string[] => [
  ...(unknownKeys > 0
    ? [`is opened by ${keys(unknownKeys)} that the panel does not show, or not so`]
    : []),
  ...(missingKeys > 0 ? [`is not opened by ${keys(missingKeys)} of the panel`] : []),
  ...(passwords ? ['is opened by its password though it should not, or the other way round'] : []),
]

/** Keys and passwords of accounts, and their users for one folder each. */
export const compareLogIns = (
  { accounts, sftpUsers }: Records,
  host: HostLogInsOf,
): Diagnosis[] => {
  const found = host.silentPorts.map((port): Diagnosis => ({
    kind: 'sftp',
    level: 'warning',
    subject: `port ${port}`,
    what: 'accounts are told to log in there, and nobody listens',
    why: 'Nobody reaches files over SFTP.',
    fix: 'Start the sshd of this host: systemctl start ssh. Where it runs, restart it, so that it reads its configuration again.',
    repair: null,
    username: null,
  }))
  for (const { username, status } of accounts) {
    const there = host.byUsername.get(username)
    if (there === undefined) continue
    const { users, differences } = there
    const wanted = sftpUsers.filter((user) => user.username === username).map(({ name }) => name)
    const add = (subject: string, what: string): void =>
      void found.push({
        kind: 'sftp',
        subject,
        what,
        fix: `Tells the host again what opens ${username}, and nothing else.`,
        repair: { do: 'tell-log-ins', username },
        username,
      })
    for (const one of differences) for (const what of differencesOf(one)) add(one.name, what)
    for (const name of wanted)
      if (!users.some((user) => user.name === name))
        add(name, 'is an SFTP user of the panel of which the host knows nothing')
    for (const { name, problem } of users)
      if (!wanted.includes(name)) add(name, 'is an SFTP user on the host, but not in the panel')
      else if (problem !== null && status === 'active')
        found.push({
          kind: 'sftp',
          level: 'warning',
          subject: name,
          what: `gets nowhere: ${problem}`,
          why: 'Whoever uploads with it is refused.',
          fix: 'Make the folder again, or give the user another one.',
          repair: null,
          username,
        })
  }
  return found
}
