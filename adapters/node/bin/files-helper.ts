import { serveFiles } from '../agent/files/helper/serve-files.ts'

// Started by the agent as an account's user: argv is the home, which is also the working directory.
const home = process.argv[2]
if (home === undefined) throw new Error('usage: files-helper.ts <home>')
serveFiles(home)
