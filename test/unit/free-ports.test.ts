import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'

test('ports differ, also from those given before, and anybody can listen on them', async () => {
  const [first, second] = [await freePorts(50), await freePorts(50)]
  expect(new Set([...first, ...second]).size).toBe(100)
  for (const port of first.slice(0, 5)) {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  }
})

test('none is one that the kernel gives to connections going out', async () => {
  const [lowest = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .split('\t')
    .map(Number)
  for (const port of await freePorts(50)) expect(port).toBeLessThan(lowest)
})
