// The import column of docs/architecture.md, held by a check. Folders meet in topics and tables, not in imports.
const core = ['schemas', 'domain', 'postgres', 'clickhouse']
const mayImport = {
  schemas: [],
  domain: ['schemas'],
  postgres: ['domain', 'schemas'],
  clickhouse: ['domain', 'schemas'],
  infra: ['schemas'],
  http: ['domain', 'schemas', 'postgres', 'infra'],
  ingest: [...core, 'infra', 'http'],
  processors: [...core, 'infra'],
  'query-api': [...core, 'infra', 'http'],
  demo: ['domain', 'schemas'],
  tracker: [],
  // What is published stands alone; clients/generate.ts beside it asks the services for their description.
  'clients/typescript': [],
}
const folders = [...Object.keys(mayImport), 'services', 'cli', 'bench', 'test']

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(mayImport).map(([folder, allowed]) => ({
      name: `${folder}-imports`,
      comment: `${folder}/ may import ${allowed.length ? allowed.join(', ') : 'nothing of ours'}`,
      severity: 'error',
      from: { path: `^${folder}/` },
      to: { path: `^(${folders.filter((f) => f !== folder && !allowed.includes(f)).join('|')})/` },
    })),
    {
      name: 'pure-folders-do-no-io',
      comment: 'domain/ is rules without input or output; schemas/ reads its own .avsc files, nothing else',
      severity: 'error',
      from: { path: '^(domain|schemas)/', pathNot: '^schemas/registry\\.ts$' },
      to: { path: '^(node:)?(fs|fs/promises|net|http|https|http2|dns|child_process|process|worker_threads)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.cjs', '.mjs'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
