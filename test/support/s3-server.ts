import { createRequire } from 'node:module'
import { temporaryDirectory } from './setups/temporary-directory.ts'

type S3rver = new (options: Record<string, unknown>) => {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
const S3 = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver

/** A real S3 service in this process; `dispose` ends it. */
export const startS3Server = async (bucket = 'backups') => {
  const directory = temporaryDirectory('bs3-')
  const server = new S3({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    bucket,
    accessKeyId: 'S3RVER',
    secretKey: 'S3RVER',
    dispose: () => server.close(),
  }
}
