import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('is a Debian that systemd rules, with the unified control groups alone', () => {
  expect(readFileSync('/proc/1/comm', 'utf8')).toBe('systemd\n')
  expect(existsSync('/run/systemd/system')).toBe(true)
  expect(readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8')).toMatch(/\bcpu .*\bpids\b/)
})
