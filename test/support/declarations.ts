import { fileURLToPath } from 'node:url';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isConstructorDeclaration,
  isExportDeclaration,
  isExportSpecifier,
  isExpressionWithTypeArguments,
  isHeritageClause,
  isTypeReferenceNode,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { API, type Symbol as Declared, ModifierFlags, type Project, SymbolFlags } from 'typescript/unstable/sync';

const CONFIG = fileURLToPath(new URL('declarations.tsconfig.json', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Something that an entry point exports. */
export interface Exported {
  readonly name: string;
  /** What it is, the same wherever it is exported from. */
  readonly symbol: Declared;
  /** Whether it is there for types alone, so that nobody reaches a class's constructor and statics. */
  readonly isType: boolean;
}

/** What the type declarations of the build say, as the compiler understands them. */
export class Declarations implements Disposable {
  readonly #api = new API();
  readonly #project: Project;

  constructor() {
    const project = this.#api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
    if (project === undefined) throw new Error(`${CONFIG} cannot be opened`);
    this.#project = project;
  }

  /** All that an entry point exports, such as `client/index`. */
  exportsOf(entry: string): Exported[] {
    const { program, checker } = this.#project;
    const file = program.getSourceFile(`${DIST}${entry}.d.ts`);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`there is no ${DIST}${entry}.d.ts. Run: npm run build`);
    return checker.getExportsOfModule(module).map((symbol) => ({
      name: symbol.name,
      symbol: this.#origin(symbol),
      isType: symbol.declarations.some((handle) => isForTypesOnly(this.#resolve(handle))),
    }));
  }

  /** What of ours the declaration of something names, as far as its users can see. */
  namedBy({ symbol, isType }: Exported): Declared[] {
    const named = new Map<number, Declared>();
    const look = (node: Node): void => {
      if (isHidden(node) || (isType && isStatic(node))) return;
      const name = isTypeReferenceNode(node)
        ? node.typeName
        : isExpressionWithTypeArguments(node)
          ? node.expression
          : undefined;
      const found = name && this.#project.checker.getSymbolAtLocation(name);
      const origin = found && this.#origin(found);
      if (origin !== undefined && isOurs(origin)) named.set(origin.id, origin);
      node.forEachChild(look);
    };
    for (const handle of symbol.declarations) look(this.#resolve(handle));
    return [...named.values()];
  }

  /** Whether something has a doc comment, at any of its declarations. */
  isDocumented({ symbol }: Exported): boolean {
    return symbol.declarations.some((handle) => hasComment(this.#resolve(handle)));
  }

  [Symbol.dispose](): void {
    this.#api.close();
  }

  #origin(symbol: Declared): Declared {
    return symbol.flags & SymbolFlags.Alias ? this.#project.checker.getAliasedSymbol(symbol) : symbol;
  }

  #resolve(handle: Declared['declarations'][number]): Node {
    const node = handle.resolve(this.#project);
    if (node === undefined) throw new Error(`a declaration of ${handle.path} is gone`);
    return node;
  }
}

/** Of an export such as `export type { Session } from './session.ts'`. */
function isForTypesOnly(node: Node): boolean {
  const list = node.parent?.parent;
  return isExportSpecifier(node) && (node.isTypeOnly || (isExportDeclaration(list) && list.isTypeOnly));
}

/** What users of a type do not see: what it implements, and what is internal. */
function isHidden(node: Node): boolean {
  if (isHeritageClause(node)) return node.token === SyntaxKind.ImplementsKeyword;
  return node.jsDoc?.some((comment) => comment.getText().includes('@internal')) ?? false;
}

/** A comment on a variable stands before its whole statement. */
function hasComment(node: Node): boolean {
  const place = isVariableDeclaration(node) ? node.parent.parent : node;
  return (place.jsDoc?.length ?? 0) > 0;
}

/** What belongs to a class itself, and not to what it makes. */
function isStatic(node: Node): boolean {
  const { modifierFlags = 0 } = node as { modifierFlags?: ModifierFlags };
  return isConstructorDeclaration(node) || (modifierFlags & ModifierFlags.Static) !== 0;
}

/** Parameters of types have names that are of no use elsewhere. */
function isOurs({ flags, declarations }: Declared): boolean {
  return !(flags & SymbolFlags.TypeParameter) && declarations.some(({ path }) => path.startsWith(DIST));
}
