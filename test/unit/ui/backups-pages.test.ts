import { describe, expect, it } from 'vitest'
import { backupsPages, withAccount } from '../../../src/lib/components/backups/backups-pages.ts'

describe('the pages of the Backups section', () => {
  it('shows an account fewer of them, none that is for administrators', () => {
    const all = backupsPages('admin')
    const own = backupsPages('account')
    expect(own).toEqual(all.filter(({ adminOnly }) => adminOnly !== true))
    expect(own[0]).toEqual({ href: '/backups', name: 'archives' })
  })

  it('keeps the account from one page to the next, and nothing else of the address', () => {
    const params = new URLSearchParams('account=7&page=3&q=x')
    expect(withAccount('/backups/snapshots', params)).toBe('/backups/snapshots?account=7')
    expect(withAccount('/backups', new URLSearchParams('page=3'))).toBe('/backups')
  })

  it('hands on no account that is none', () => {
    for (const text of ['', '0', '-1', '1&x=2', 'javascript:', '9'.repeat(16)])
      expect(withAccount('/backups', new URLSearchParams({ account: text }))).toBe('/backups')
  })
})
