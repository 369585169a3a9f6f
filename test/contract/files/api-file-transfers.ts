import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { aliceAndBobby, apiClient } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const OCTETS = 'application/octet-stream'

/** Files that are streamed, moved, copied and packed. */
export const fileTransfersContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('file transfers', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
    })

    const target = (verb: string, path: string) =>
      `/api/files/${verb}?account_id=1&path=${encodeURIComponent(path)}`
    const upload = (path: string, body: BodyInit, type: string | null = OCTETS, client = alice) =>
      shared.instance.fetch(target('upload', path), {
        method: 'POST',
        body,
        headers: {
          ...(client.token === null ? {} : { authorization: `Bearer ${client.token}` }),
          ...(type === null ? {} : { 'content-type': type }),
        },
      })
    const download = (path: string, headers: Record<string, string> = {}, client = alice) =>
      shared.instance.fetch(target('download', path), {
        headers: { authorization: `Bearer ${client.token}`, ...headers },
      })
    const post = (verb: string, body: Record<string, unknown>, client = alice) =>
      client.post(`/api/files/${verb}`, { account_id: 1, ...body })

    test('what is uploaded is downloaded, in pieces of any size', async () => {
      for (const size of [0, 1, 2 ** 20, 2 ** 20 + 1, 2.5 * 2 ** 20]) {
        const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 12)) % 256)
        const answer = await upload('public_html/big.bin', bytes)
        expect(await answer.json()).toMatchObject({
          ok: true,
          data: { path: 'public_html/big.bin', size, type: 'file' },
        })
        const back = await download('public_html/big.bin')
        expect(back.status).toBe(200)
        // workerd sends streams in chunks.
        expect([null, String(size)]).toContain(back.headers.get('content-length'))
        expect(Buffer.from(await back.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
      }
    })

    test('a download is an attachment that no browser runs', async () => {
      await upload('public_html/a "b" é;.html', '<script>')
      const { headers } = await download('public_html/a "b" é;.html')
      expect(headers.get('content-type')).toBe(OCTETS)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="a _b_ _;.html"; filename*=UTF-8''a%20%22b%22%20%C3%A9%3B.html`,
      )
    })

    test('ranges', async () => {
      await upload('public_html/digits', '0123456789')
      const part = async (range: string, more: Record<string, string> = {}) => {
        const response = await download('public_html/digits', { range, ...more })
        return [response.status, await response.text(), response.headers.get('content-range')]
      }
      expect(await part('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10'])
      expect(await part('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10'])
      expect(await part('bytes=8-')).toEqual([206, '89', 'bytes 8-9/10'])
      expect((await part('bytes=2-4', { 'if-range': '"other"' }))[0]).toBe(200)
      expect((await part('lines=1'))[0]).toBe(200)
      const behind = await part('bytes=10-')
      expect([behind[0], behind[2]]).toEqual([416, 'bytes */10'])
    })

    test('a multipart body gives its first file', async () => {
      const form = new FormData()
      form.set('note', 'no file')
      form.set('file', new File(['one\r\n--not the boundary\r\ntwo'], 'x.txt'))
      form.set('other', new File(['second'], 'y.txt'))
      const request = new Request('http://x.example', { method: 'POST', body: form })
      const type = request.headers.get('content-type')
      const answer = await upload('public_html/form.txt', await request.arrayBuffer(), type)
      expect(answer.status).toBe(200)
      expect(await (await download('public_html/form.txt')).text()).toBe(
        'one\r\n--not the boundary\r\ntwo',
      )
      const body = '--B\r\ncontent-disposition: form-data; name="f"; filename="x"\r\n\r\ncut'
      for (const [text, kind] of [
        [body, 'multipart/form-data; boundary=B'],
        ['--B--', 'multipart/form-data; boundary=B'],
        ['x', 'multipart/form-data; charset=x'],
      ] as const)
        expect((await upload('public_html/cut.txt', text, kind)).status).toBe(400)
      expect((await download('public_html/cut.txt')).status).toBe(404)
      const empty = '--B\r\ncontent-disposition: form-data; filename="x"\r\n\r\n\r\n--B--'
      await upload('public_html/empty.txt', empty, 'multipart/form-data; boundary=B')
      expect(await (await download('public_html/empty.txt')).text()).toBe('')
    })

    test('refusals of uploads and downloads', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json'])
        expect((await upload('public_html/x', 'x', type)).status).toBe(415)
      for (const path of ['../x', 'a/../../x', '', '/', 'a\0b'])
        expect((await upload(path, 'x')).status).toBe(400)
      expect((await upload('missing/x', 'x')).status).toBe(404)
      expect((await upload('public_html', 'x')).status).toBe(409)
      expect((await upload('public_html/x', 'x', OCTETS, bobby)).status).toBe(404)
      const nobody = apiClient(shared.instance)
      expect((await upload('public_html/x', 'x', OCTETS, nobody)).status).toBe(401)
      expect((await download('public_html')).status).toBe(409)
      expect((await download('public_html/none')).status).toBe(404)
      expect((await download('public_html/digits', {}, bobby)).status).toBe(404)
      expect((await alice.get('/api/files/download?account_id=1')).status).toBe(400)
      expect((await nobody.get(target('download', 'public_html/digits'))).status).toBe(401)
    })

    test.each(['rename', 'move', 'copy'])('%s', async (verb) => {
      await upload('public_html/from.txt', 'text')
      await post('mkdir', { path: `${verb}/in` })
      const to = `${verb}/in/to.txt`
      const made = await post(verb, { path: 'public_html/from.txt', to })
      expect(made.body.data).toMatchObject({ path: to, size: 4 })
      expect((await download('public_html/from.txt')).status).toBe(verb === 'copy' ? 200 : 404)
      await upload('public_html/from.txt', 'text')
      expect((await post(verb, { path: 'public_html/from.txt', to })).status).toBe(409)
      expect((await post(verb, { path: verb, to: `${verb}/in/self` })).status).toBe(400)
      expect((await post(verb, { path: 'none', to: 'x' })).status).toBe(404)
      expect((await post(verb, { path: verb, to: 'none/x' })).status).toBe(404)
      for (const bad of [
        { path: verb },
        { to: 'x' },
        { path: '', to: 'x' },
        { path: verb, to: '../x' },
      ])
        expect((await post(verb, bad)).status).toBe(400)
      expect((await post(verb, { path: verb, to: 'x' }, bobby)).status).toBe(404)
      expect((await post(verb, { path: verb, to: 'x' }, apiClient(shared.instance))).status).toBe(
        401,
      )
    })

    test('archive and extract', async () => {
      await post('mkdir', { path: 'pack/in' })
      await upload('pack/in/a.txt', 'content')
      const packed = await post('archive', { paths: ['pack/in'], to: 'pack/all.tar.gz' })
      expect(packed.body.data).toMatchObject({ entry: { path: 'pack/all.tar.gz' }, entries: 2 })
      expect((await post('archive', { paths: ['pack/in'], to: 'pack/all.tar.gz' })).status).toBe(
        409,
      )
      for (const bad of [
        { paths: [], to: 'x' },
        { paths: 'pack', to: 'x' },
        { paths: ['../x'], to: 'x' },
        { paths: ['pack/in', 'public_html/in'], to: 'x' },
        { paths: ['pack'] },
      ])
        expect((await post('archive', bad)).status).toBe(400)
      await post('mkdir', { path: 'unpack' })
      const out = { path: 'pack/all.tar.gz', to: 'unpack' }
      expect((await post('extract', out)).body.data).toEqual({ entries: 2 })
      expect(await (await download('unpack/in/a.txt')).text()).toBe('content')
      expect((await post('extract', out)).status).toBe(409)
      expect((await post('extract', { ...out, overwrite: true })).status).toBe(200)
      expect((await post('extract', { ...out, overwrite: 'yes' })).status).toBe(400)
      expect((await post('extract', { path: 'pack/in/a.txt', to: 'unpack' })).status).toBe(409)
      expect((await post('extract', { ...out, to: 'none' })).status).toBe(404)
      expect((await post('extract', out, bobby)).status).toBe(404)
      const job = await alice.send(
        'POST',
        '/api/files/copy',
        { account_id: 1, path: 'pack', to: 'pack2' },
        { prefer: 'respond-async' },
      )
      const { job_id } = job.body.data as { job_id: string }
      const events = await shared.instance.fetch(`/api/jobs/${job_id}/events`, {
        headers: { authorization: `Bearer ${alice.token}` },
      })
      expect(await events.text()).toContain('"state":"done"')
      expect((await bobby.get(`/api/jobs/${job_id}`)).status).toBe(404)
    })
  })
}
