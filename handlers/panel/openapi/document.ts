import type { Route } from '../frame/route.ts'
import type { OpenApiDocument, Operation } from './document-types.ts'
import { operationOf } from './operation.ts'
import { createSchemaBook } from './schema-book.ts'

const DESCRIPTION = `Hosting accounts, their domains, databases, files and PHP, and the web server that serves them.

Every answer is JSON in one of two shapes: {"ok": true, "data": …} with status 200, or {"ok": false, "error": "…"}. An error says what is wrong and how to fix it; where one field is at fault, the header X-Error-Field names it. Outside this envelope are, on success, only what says so: streams, downloads, this document and its page.

A token comes from POST /api/auth/login and is sent as "Authorization: Bearer <token>" or as the cookie panel_token. It is good for 24 hours. Programs take an API token (POST /api/tokens), sent as Bearer: it has its owner's rights within its scopes. Who is let in by the cookie alone may change something only from the panel's own page: Sec-Fetch-Site: same-origin, Origin of the panel, or the header X-Requested-With: berth. An unknown path is 404 and another method 405 with Allow, but 401 without a token.

Lists take page, per_page, sort, order and q; X-Total-Count is the number of entries without paging. Without page and per_page a list is whole. Every GET can be asked as HEAD. Unknown fields of a body and unknown parameters are ignored, but one that is nearly a known one (location for target) is 400 with the right name, and so is every unknown one where it could change or remove more than was meant: of PATCH, PUT and DELETE, of a restore, a cleanup, a repair and a purge. Timestamps are UTC, YYYY-MM-DD HH:MM:SS. Sizes in MB of files, disks and traffic are of 1000000 bytes, of memory of 1048576.`

/** `/api/accounts/:id` in OpenAPI's spelling. */
export const documentPath = (path: string): string => path.replace(/:(\w+)[+*?]?/g, '{$1}')

const failureSchema = {
  type: 'object',
  properties: { ok: { const: false }, error: { type: 'string', minLength: 1 } },
  required: ['ok', 'error'],
  additionalProperties: false,
}

/** The OpenAPI 3.1 document of a routing table. */
export const openApiDocument = (routes: readonly Route[]): OpenApiDocument => {
  const book = createSchemaBook()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const operations = (paths[documentPath(route.path)] ??= {})
    operations[route.method.toLowerCase()] = operationOf(route, book)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Berth panel API', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...book.named, Failure: failureSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'panel_token' },
      },
    },
  }
}
