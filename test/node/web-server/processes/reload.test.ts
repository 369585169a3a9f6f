import { describe, expect, it } from 'vitest'
import { get } from '../support/get.ts'
import { editConfig, siteToml, startLoad } from '../support/static-web.ts'
import { eventually } from '../support/web-process.ts'
import { shareStaticWeb, web } from '../support/shared-web.ts'

shareStaticWeb()

describe('a reload', () => {
  it('fails no request, whether hosts change or workers are replaced', async () => {
    const running = startLoad(web)
    for (let i = 0; i < 10; i++) {
      web.writeHosts(`h${i}`, siteToml(web, `h${i}.test`))
      expect((await web.control('POST', '/reload')).body).toMatchObject({ virtual_hosts: i + 2 })
      // Answered: every worker serves it.
      const answers = await Promise.all([1, 2, 3, 4].map(() => get(web.port, `h${i}.test`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    const before = web.workers()
    for (const count of [3, 2]) {
      editConfig(web, /workers = \d/, `workers = ${count}`)
      const reloaded = await web.control('POST', '/reload')
      expect(reloaded).toMatchObject({ status: 200, body: { workers: count } })
    }
    await eventually('old workers are gone', () => web.workers().length === 2)
    expect(web.workers().some((pid) => before.includes(pid))).toBe(false)
    const { requests, failures } = await running.stop()
    expect(failures).toEqual([])
    expect(requests).toBeGreaterThan(20)
  })

  it('that is refused changes nothing and says what is wrong', async () => {
    web.writeHosts('bad', siteToml(web, 'bad.test', 'colour = "red"'))
    web.writeHosts('good', siteToml(web, 'good.test'))
    const refused = await web.control('POST', '/reload')
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toMatch(/bad\.toml:\d+: .*colour/)
    expect((await get(web.port, 'm.test')).status).toBe(200)
    expect((await get(web.port, 'good.test')).status).toBe(404)
    web.removeHosts('bad')
    expect((await web.control('POST', '/reload')).status).toBe(200)
    expect((await get(web.port, 'good.test')).status).toBe(200)
  })

  it('is what SIGHUP means', async () => {
    web.writeHosts('hup', siteToml(web, 'hup.test'))
    process.kill(web.pid, 'SIGHUP')
    await eventually('served', async () => (await get(web.port, 'hup.test')).status === 200)
  })

  it('answers unknown control requests with what is possible', async () => {
    expect((await web.control('GET', '/nothing')).status).toBe(404)
    expect((await web.control('POST', '/purge', { domains: 'x' })).status).toBe(400)
    expect((await web.control('GET', '/status')).body).toMatchObject({
      pid: web.pid,
      workers: 2,
      virtual_hosts: 1,
    })
  })
})
