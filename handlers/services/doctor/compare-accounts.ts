import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

const USER_TEXTS = {
  missing: 'has no system user any more',
  foreign: 'has a system user whose uid or home is another than it was made with',
} as const

/** Accounts, their homes, suspension and PHP. */
export const compareAccounts = (records: Records, host: HostInspection): Diagnosis[] => {
  const found: Diagnosis[] = []
  const recorded = new Map(records.accounts.map((row) => [row.username, row]))
  const there = new Map(host.accounts.map((account) => [account.username, account]))

  for (const { username, status } of records.accounts) {
    if (there.has(username) || status === 'creating' || status === 'deleting') continue
    found.push({
      kind: 'account',
      subject: username,
      what: 'is an account of the panel of which the host knows nothing',
      fix: `Restore it from a backup, or delete the account ${username} in the panel.`,
      repair: null,
      username,
    })
  }

  for (const { username, user, home, suspended } of host.accounts) {
    const row = recorded.get(username)
    if (row === undefined) {
      found.push({
        kind: 'account',
        subject: username,
        what: 'was made by this installation, but the panel has no account of that name',
        fix: `Removes the system user ${username} with its home, virtual hosts, certificates and databases.`,
        repair: { do: 'remove-user', username },
        username,
      })
      continue
    }
    if (user !== 'present')
      found.push({
        kind: 'account',
        subject: username,
        what: USER_TEXTS[user],
        fix: `Put the user ${username} back as it was, in /etc/passwd and /etc/group; or delete the account in the panel.`,
        repair: null,
        username,
      })
    if (home !== null)
      found.push({
        kind: 'home',
        subject: home.path,
        what: home.problem,
        fix: home.repairable
          ? 'Sets the owner, group and mode of the home.'
          : `Restore the home from a backup, or delete the account ${username} in the panel.`,
        repair: home.repairable ? { do: 'repair-path', path: home.path } : null,
        username,
      })
    if ((row.status === 'active' || row.status === 'suspended') && user === 'present') {
      const wanted = row.status === 'suspended'
      if (wanted !== suspended)
        found.push({
          kind: 'suspension',
          subject: username,
          what: wanted
            ? 'is suspended in the panel and open on the host'
            : 'is active in the panel and closed on the host',
          fix: wanted ? 'Suspends it on the host.' : 'Opens it on the host.',
          repair: { do: 'set-suspended', username },
          username,
        })
    }
  }

  for (const { pid, username } of host.php) {
    if (username === null)
      found.push({
        kind: 'php',
        subject: `process ${pid}`,
        what: 'is PHP of an account that is gone',
        fix: 'Ends it.',
        repair: { do: 'end-php', pid },
        username: null,
      })
    else if (there.get(username)?.suspended === true)
      found.push({
        kind: 'php',
        subject: `process ${pid}`,
        what: `is PHP of ${username}, which is suspended`,
        fix: 'Suspends the account on the host once more, which ends it.',
        repair: { do: 'set-suspended', username },
        username,
      })
  }
  return found
}
