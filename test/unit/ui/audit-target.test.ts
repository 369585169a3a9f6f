import { expect, test } from 'vitest'
import { auditTarget } from '../../../src/lib/format/audit-target.ts'

test.each([
  ['id=3 filename=shop-20260101-030000.tar.gz account=shop', 'shop · shop-20260101-030000.tar.gz'],
  ['account_id=3 path=a%20b=c.txt account=shop', 'shop · a b=c.txt'],
  ['id=9 site=shop.example', 'shop.example'],
  ['account_id=3 db_name=blog', 'account_id=3 · blog'],
  ['id=3', 'id=3'],
  ['username=alice domain=alice.example plan=pro', 'alice · alice.example · pro'],
  ['', ''],
  ['odd', 'odd'],
])('%s is %s', (target, shown) => {
  expect(auditTarget(target)).toBe(shown)
})
