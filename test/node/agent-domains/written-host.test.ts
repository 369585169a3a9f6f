import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'

let tenant: Tenant
shareInstance({ settings: { server: 'workers = 1', databases: 'mariadb = "off"' } })
beforeAll(async () => {
  tenant = await Tenant.create(panel)
  await tenant.put(
    'public_html/show.php',
    '<?php header("Cache-Control: no-store"); echo PHP_SAPI, " ", ini_get("memory_limit"), " ", posix_geteuid();',
  )
})

const signal = async (): Promise<void> => {
  process.kill((await instance.pids()).supervisor, 'SIGHUP')
}
const shows = async (text: string): Promise<void> =>
  eventually(
    text,
    async () => (await instance.site('written.test', '/show.php')).text === text,
    20_000,
  )

test("a host that is written by hand and named after an account gets the account's PHP after SIGHUP", async () => {
  const { file } = instance.config
  const before = readFileSync(file, 'utf8')
  expect((await instance.site('written.test', '/show.php')).status).toBe(404)
  appendFileSync(
    file,
    `
[[virtualhost]]
domain = "written.test"
username = "${tenant.username}"
root = "${tenant.path('public_html')}"
[virtualhost.php]
mode = "fpm"
memory_limit = "64M"
`,
  )
  await signal()
  await shows(`fpm-fcgi 64M ${tenant.uid}`)
  const changed = readFileSync(file, 'utf8').replace('"fpm"', '"cgi"').replace('"64M"', '"65M"')
  writeFileSync(file, changed)
  await signal()
  await shows(`cgi-fcgi 65M ${tenant.uid}`)
  writeFileSync(file, before)
  await signal()
  await eventually(
    'it is gone',
    async () => (await instance.site('written.test', '/show.php')).status === 404,
  )
})
