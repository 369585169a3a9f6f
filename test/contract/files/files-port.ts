import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FilesPort } from '#handlers/ports/host/files.ts'

/** A port with one account whose home was just created. */
export interface FilesPortSubject {
  files: FilesPort
  username: string
  dispose(): Promise<void>
}

/** What every implementation of `FilesPort` keeps to. */
export const filesPortContract = (label: string, create: () => Promise<FilesPortSubject>): void => {
  describe(`FilesPort: ${label}`, () => {
    let subject: FilesPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject.dispose()
    })
    const at = (path: string) => ({ username: subject.username, path })
    const write = (path: string, content: string) =>
      subject.files.write({ ...at(path), content, encoding: 'utf8' })
    const read = (path: string, maxBytes = 1000) => subject.files.read({ ...at(path), maxBytes })

    it('lists a new home, sorted by name', async () => {
      const entries = await subject.files.list(at(''))
      expect(entries.map((entry) => entry.name)).toEqual(['logs', 'public_html', 'sessions', 'tmp'])
      expect(entries[1]).toMatchObject({
        path: 'public_html',
        type: 'directory',
        permissions: '0755',
        owner: subject.username,
      })
      expect(entries[1]?.modified_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      const [page] = await subject.files.list(at('public_html'))
      expect(page).toMatchObject({ path: 'public_html/index.html', permissions: '0644' })
    })

    it('writes, reads and replaces text', async () => {
      const entry = await write('public_html/a.txt', 'grüße\n')
      expect(entry).toMatchObject({
        name: 'a.txt',
        path: 'public_html/a.txt',
        type: 'file',
        size: 8,
        permissions: '0644',
        owner: subject.username,
      })
      expect(await read('public_html/a.txt')).toMatchObject({
        path: 'public_html/a.txt',
        content: 'grüße\n',
        encoding: 'utf8',
        size: 8,
      })
      await write('public_html/a.txt', '')
      expect(await read('public_html/a.txt')).toMatchObject({ content: '', size: 0 })
    })

    it('carries bytes that are no text as base64', async () => {
      const content = btoa(String.fromCharCode(0, 255, 254, 10))
      await subject.files.write({ ...at('blob'), content, encoding: 'base64' })
      expect(await read('blob')).toMatchObject({ content, encoding: 'base64', size: 4 })
    })

    it('writes and reads as much at once as an editor may save', async () => {
      const content = `<${'y'.repeat(10 * 2 ** 20 - 2)}>`
      expect(await write('large.txt', content)).toMatchObject({ size: content.length })
      const { content: back } = await read('large.txt', content.length)
      expect(back === content).toBe(true)
      await subject.files.delete(at('large.txt'))
    })

    it('refuses content that is not base64', async () => {
      await expect(
        subject.files.write({ ...at('blob'), content: 'no base64!', encoding: 'base64' }),
      ).rejects.toMatchObject({ status: 400, field: 'content' })
    })

    it('refuses to read more than asked for', async () => {
      await write('long', '12345')
      await expect(read('long', 4)).rejects.toMatchObject({ status: 413 })
      expect(await read('long', 5)).toMatchObject({ content: '12345' })
    })

    it('makes directories with their parents, once', async () => {
      expect(await subject.files.mkdir(at('x/y/z'))).toMatchObject({
        name: 'z',
        path: 'x/y/z',
        type: 'directory',
        permissions: '0755',
      })
      await expect(subject.files.mkdir(at('x/y'))).rejects.toMatchObject({ status: 409 })
    })

    it('changes permissions and keeps them when the file is replaced', async () => {
      await write('mode', 'a')
      expect(await subject.files.chmod({ ...at('mode'), mode: '600' })).toMatchObject({
        permissions: '0600',
      })
      expect(await write('mode', 'b')).toMatchObject({ permissions: '0600' })
      for (const mode of ['4755', '7777', '1777', 'u+s', '-1', '', '99', '0x1ff'])
        await expect(subject.files.chmod({ ...at('mode'), mode })).rejects.toMatchObject({
          status: 400,
          field: 'mode',
        })
    })

    it('deletes files and whole directories', async () => {
      await subject.files.mkdir(at('gone/deep'))
      await write('gone/deep/file', 'x')
      await subject.files.delete(at('gone'))
      await expect(subject.files.list(at('gone'))).rejects.toMatchObject({ status: 404 })
      await expect(subject.files.delete(at('gone'))).rejects.toMatchObject({ status: 404 })
    })

    it('never deletes the home', async () => {
      await expect(subject.files.delete(at(''))).rejects.toMatchObject({ status: 400 })
      expect((await subject.files.list(at(''))).length).toBeGreaterThan(0)
    })

    it('answers 404 for what is not there and 409 for the wrong kind', async () => {
      await expect(read('nothing')).rejects.toMatchObject({ status: 404 })
      await expect(subject.files.list(at('nothing'))).rejects.toMatchObject({ status: 404 })
      await expect(write('nothing/file', 'x')).rejects.toMatchObject({ status: 404 })
      await expect(subject.files.chmod({ ...at('nothing'), mode: '644' })).rejects.toMatchObject({
        status: 404,
      })
      await expect(read('public_html')).rejects.toMatchObject({ status: 409 })
      await expect(write('public_html', 'x')).rejects.toMatchObject({ status: 409 })
      await write('plain', 'x')
      await expect(subject.files.list(at('plain'))).rejects.toMatchObject({ status: 409 })
      await expect(subject.files.mkdir(at('plain'))).rejects.toMatchObject({ status: 409 })
    })

    it('knows no other accounts', async () => {
      const foreign = { username: 'nosuchaccount', path: '' }
      await expect(subject.files.list(foreign)).rejects.toMatchObject({ status: 404 })
    })
  })
}
