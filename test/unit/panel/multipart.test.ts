import { expect, test } from 'vitest'
import { multipartFile } from '#handlers/panel/frame/multipart.ts'

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** The file of a form, whose body comes in pieces of `pieceBytes`. */
const fileOf = async (body: string, boundary: string, pieceBytes = 65_536): Promise<string> => {
  const bytes = bytesOf(body)
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.slice(at, at + pieceBytes)
  }
  const file: Buffer[] = []
  for await (const piece of multipartFile(pieces(), boundary)) file.push(Buffer.from(piece))
  return Buffer.concat(file).toString('latin1')
}
const FILE = 'Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const FIELD = 'Content-Disposition: form-data; name="path"\r\n\r\n'

test.each([1, 2, 7, 65_536])('finds the file among fields, in pieces of %i', async (pieceBytes) => {
  const content = 'one\r\n--\r\r\n--X\r\n--bound\r\ntwo'
  const body = `--boundary\r\n${FIELD}here\r\n--boundary\r\n${FIELD}\r\n--boundary\r\n${FILE}${content}\r\n--boundary--\r\n`
  expect(await fileOf(body, 'boundary', pieceBytes)).toBe(content)
})

test.each([
  ['line ends', '\r'.repeat(500_000), 'b'],
  ['what is nearly a boundary', `\r\n--${'a'.repeat(69)}b`.repeat(5000), 'a'.repeat(70)],
  ['a boundary of one sign, and of it alone', 'a'.repeat(500_000), 'a'.repeat(70)],
])('reads %s as content', async (_, content, boundary) => {
  const body = `--${boundary}\r\n${FILE}${content}\r\n--${boundary}--\r\n`
  expect((await fileOf(body, boundary)) === content).toBe(true)
})

test('refuses a body of very many parts, and one that breaks off', async () => {
  const parts = `--b\r\n${FIELD}\r\n`.repeat(101)
  await expect(fileOf(`${parts}--b\r\n${FILE}x\r\n--b--\r\n`, 'b')).rejects.toThrow(
    'The multipart body has more than 100 parts.',
  )
  await expect(fileOf(`--b\r\n${FILE}x\r\n--`, 'b')).rejects.toThrow('malformed')
})
