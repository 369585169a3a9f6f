import { createJails } from '#adapters/node/agent/sftp/jails.ts'

// Stands for an agent that is killed: it makes a jail, says so, and keeps it.
const [link = '', username = '', uid = '', gid = '', home = ''] = process.argv.slice(2)
const jails = createJails(link)
jails.begin()
await jails.open({ username, uid: Number(uid), gid: Number(gid), home })
process.stdout.write('made\n')
setInterval(() => undefined, 60_000)
