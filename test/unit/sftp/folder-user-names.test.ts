import { expect, it } from 'vitest'
import { folderUserNames } from '#adapters/node/sshd/folder-user-names.ts'

it('finds the users for one folder of accounts, and nobody else', () => {
  const passwd = `root:x:0:0:root:/root:/bin/bash
alice:x:2000:2000::/srv/homes/alice:/usr/sbin/nologin
alice_web:x:2000:2000::/files:/usr/sbin/nologin
alice_other:x:2001:2000::/files:/usr/sbin/nologin
alice_home:x:2000:2000::/home/x:/bin/bash
root_x:x:0:0::/files:/bin/sh
bob:x:2002:2002::/elsewhere/bob:/bin/bash
bob_web:x:2002:2002::/files:/usr/sbin/nologin
gone_web:x:2003:2003::/files:/usr/sbin/nologin
`
  expect(folderUserNames(passwd, '/srv/homes')).toEqual(['alice_web'])
  expect(folderUserNames('', '/srv/homes')).toEqual([])
})
