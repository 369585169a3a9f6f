import { pack } from 'tar-stream'

/** Content of a member: text or bytes; a folder where it is null; or a link. */
export type Member = string | Buffer | null | { link: string } | { hardLink: string }

const isContent = (member: Member): member is string | Buffer =>
  typeof member === 'string' || Buffer.isBuffer(member)

/** A tar archive of the members, in their order; folders 0750, files 0640. */
export const tarOf = async (members: Readonly<Record<string, Member>>): Promise<Buffer> => {
  const tar = pack()
  for (const [name, member] of Object.entries(members)) {
    if (member === null) tar.entry({ name, type: 'directory', mode: 0o750 })
    else if (isContent(member)) tar.entry({ name, mode: 0o640 }, member)
    else if ('link' in member) tar.entry({ name, type: 'symlink', linkname: member.link })
    else tar.entry({ name, type: 'link', linkname: member.hardLink })
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
