import { archiveOf } from '#test/contract/backups/archive-of.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'

/** As an archive of cPanel is: no plan, no proof, passwords that nobody can read, a report; `text` stands in it. */
export const foreignArchive = (username: string, text = 'DNS zones'): FakeArchive => {
  const archive = archiveOf(username, { madeBy: 'cPanel', proof: 'unproved', hasSecrets: false })
  const { facts } = archive
  if (facts.record === null) throw new Error('an archive without a record')
  facts.record.account.plan = ''
  facts.record.account.disk_quota_mb = facts.record.plan.disk_quota_mb = 0
  for (const database of facts.databases) database.hasPassword = false
  facts.report = [
    { what: 'left', subject: text, reason: 'There is no name server here.' },
    {
      what: 'left',
      subject: `mail of ${username}.example`,
      reason: 'There is no mail server here.',
    },
    { what: 'changed', subject: 'PHP 5.6', reason: 'It is not on this machine.' },
    { what: 'taken', subject: `domain ${username}.example`, reason: '' },
  ]
  return { ...archive, secrets: null }
}
