import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createBackupFixture } from './backup-fixture.ts'
import type { BackupFixture } from './backup-fixture.ts'

let host: BackupFixture
let from: OsUser
let to: OsUser
let importId = ''
let dropped = ''

const ended = async (step: 'open' | 'fill') => {
  for (;;) {
    const progress = await host.backups.imports.wait({ importId, step })
    if (progress.state !== 'running') return progress
  }
}

/** Brings an archive of `from` into `to`, and answers what opening it told. */
const moveIn = async () => {
  const name = host.nameOf(from)
  await host.create(from, name)
  const file = path.join(dropped, name)
  await rename(path.join(host.backupsDir, name), file)
  importId = `configs-${name}`
  await host.backups.imports.open({ importId, source: { kind: 'file', path: file } })
  const { result, error } = await ended('open')
  expect(error).toBeNull()
  await host.backups.imports.fill({ importId, username: to.username, databases: [] })
  expect((await ended('fill')).error).toBeNull()
  return result
}

beforeAll(async () => {
  host = await createBackupFixture()
  dropped = path.join(host.directory, 'dropped')
  await mkdir(dropped, { mode: 0o700 })
  from = await host.account()
  to = await host.account()
  const { home } = from
  await host.shell(
    from,
    `cd public_html && mkdir -p deep/er node_modules/x
     printf '%s' "<?php define('WPCACHEHOME', '${home}/public_html/'); // ${home}2 /var${home} \\351" > wp-config.php
     chmod 400 wp-config.php
     printf 'auto_prepend_file = "%s/waf.php"\\nopen_basedir=%s:%s/tmp' ${home} ${home} ${home} > deep/er/.user.ini
     printf 'DB=sqlite://%s/db.sqlite' ${home} > .env.production
     cp .env.production other.txt && cp .env.production node_modules/x/.env
     printf nothing > settings.php
     ln -s other.txt configuration.php
     ln wp-config.php deep/config.php
     head -c 1100000 /dev/zero | tr '\\0' a > env.php && printf '%s' ${home} >> env.php`,
  )
})
afterAll(() => host?.dispose())

it('points known configuration files at the new home, as the account, and keeps them as they were', async () => {
  const known = [
    { path: 'public_html/.env.production', paths: 1 },
    { path: 'public_html/deep/config.php', paths: 1 },
    { path: 'public_html/deep/er/.user.ini', paths: 3 },
    { path: 'public_html/wp-config.php', paths: 1 },
  ]
  const facts = await moveIn()
  expect(facts?.formerHomes).toEqual([from.home])
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1)
  // In an archive a file has one name that is it, and others that are links to it.
  expect(facts?.configs.toSorted(byPath)).toEqual(
    expect.arrayContaining([
      known[0],
      known[2],
      { path: 'public_html/node_modules/x/.env', paths: 1 },
    ]),
  )
  const { imports } = host.backups
  const pointed = await imports.pointConfigs({ importId, username: to.username })
  expect(pointed).toMatchObject({ left: [], copies: '.before-import' })
  expect(pointed.changed).toEqual(known)
  const read = (file: string): Promise<string> =>
    host.shell(to, `LC_ALL=C cat ${file} | od -An -c -v | tr -d ' \\n'`)
  const text = (file: string): Promise<string> => host.shell(to, `cat public_html/${file}`)
  const { home } = to
  expect(await text('deep/er/.user.ini')).toBe(
    `auto_prepend_file = "${home}/waf.php"\nopen_basedir=${home}:${home}/tmp`,
  )
  expect(await text('.env.production')).toBe(`DB=sqlite://${home}/db.sqlite`)
  // What only looks like it stays, and so do bytes that are no UTF-8.
  const config = await read('public_html/wp-config.php')
  expect(config).toContain(
    `'${home}/public_html/');//${from.home}2/var${from.home}\\351`.replaceAll(' ', ''),
  )
  for (const other of ['other.txt', 'node_modules/x/.env'])
    expect(await text(other)).toBe(`DB=sqlite://${from.home}/db.sqlite`)
  expect(await host.shell(to, 'stat -c "%a %U" public_html/wp-config.php .before-import')).toBe(
    `400 ${to.username}\n700 ${to.username}\n`,
  )
  const kept = '.before-import/public_html'
  expect(await host.shell(to, `cat ${kept}/deep/er/.user.ini`)).toContain(`${from.home}/tmp`)
  expect(
    await host.shell(
      to,
      `stat -c %a ${kept}/wp-config.php; readlink public_html/configuration.php`,
    ),
  ).toBe('600\nother.txt\n')
  // Again: nothing is left to change, and the copies stay what they are.
  const again = await imports.pointConfigs({ importId, username: to.username })
  expect(again).toMatchObject({ changed: [], left: [] })
  await imports.close({ importId })
  await expect(imports.pointConfigs({ importId, username: to.username })).rejects.toMatchObject({
    status: 409,
  })
})

it('follows no link, and leaves what is not the account’s', async () => {
  await moveIn()
  await host.shell(
    to,
    `mkdir -p elsewhere && printf '%s' ${from.home} > elsewhere/secret && cd public_html
     rm -f settings.php && ln -s ../elsewhere/secret settings.php && ln -s ../elsewhere linked
     printf '%s' ${from.home} > ../elsewhere/LocalSettings.php && mkfifo php.ini
     ln -s ../elsewhere ../.before-import-2`,
  )
  const { changed } = await host.backups.imports.pointConfigs({ importId, username: to.username })
  const paths = changed.map(({ path: one }) => one)
  expect(paths).toContain('elsewhere/LocalSettings.php')
  expect(paths.filter((one) => one.includes('linked') || one.includes('settings'))).toEqual([])
  expect(await host.shell(to, 'cat elsewhere/secret')).toBe(from.home)
  await host.backups.imports.close({ importId })
})
