import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

let mallory: Tenant

beforeAll(async () => {
  mallory = await Tenant.create(panel)
})

test('what a script writes to its standard error forges no line and fills no log', async () => {
  await mallory.put(
    'public_html/loud.php',
    `<?php header('Cache-Control: no-store'); ini_set('error_log', ''); error_log("loud\\n2026-01-01T00:00:00.000Z [error] 1: forged " . str_repeat('x', 7000)); echo 'ok';`,
  )
  const answers = await Promise.all(
    Array.from({ length: 80 }, () => instance.site(mallory.domain, '/loud.php')),
  )
  expect(answers.every(({ text }) => text === 'ok')).toBe(true)
  const directory = join(instance.config.paths.log_dir, 'web')
  const file = join(directory, 'php_error.log')
  await waitFor(() => expect(readFileSync(file, 'utf8')).toContain(`${mallory.domain}: `), {
    timeout: 15_000,
  })
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    expect(line).toMatch(new RegExp(`^\\S+Z ${mallory.domain}: `))
  }
  const others = [join(directory, 'error.log'), join(directory, '..', 'web.log')]
  for (const other of others.filter(existsSync)) {
    expect(readFileSync(other, 'utf8')).not.toContain('forged')
  }
})
