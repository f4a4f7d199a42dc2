/** A tool with this input schema; frozen through and through, so that nobody changes it unseen. */
export function toSpec(input_schema, description = 'Does it.') {
    return freeze({ name: 'do_it', description, input_schema });
}
/** Types that refer to each other, as pydantic writes them. */
export const PYDANTIC = {
    $defs: {
        Color: { enum: ['red', 'green'], title: 'Color', type: 'string' },
        Point: {
            description: 'A place on the board.',
            properties: {
                x: { title: 'X', type: 'integer', minimum: 0 },
                title: { default: '', title: 'Title', type: 'string' },
            },
            required: ['x'],
            title: 'Point',
            type: 'object',
        },
    },
    properties: {
        color: { $ref: '#/$defs/Color', default: 'red' },
        at: { anyOf: [{ $ref: '#/$defs/Point' }, { type: 'null' }], default: null, description: 'Where.' },
        steps: { items: { $ref: '#/$defs/Point' }, title: 'Steps', type: 'array' },
        pair: {
            maxItems: 2,
            minItems: 2,
            prefixItems: [{ type: 'integer' }, { type: 'integer' }],
            title: 'Pair',
            type: 'array',
        },
        scores: { additionalProperties: { type: 'number' }, title: 'Scores', type: 'object' },
        ratio: { exclusiveMinimum: 0, maximum: 1, title: 'Ratio', type: 'number' },
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Limit' },
        extra: { title: 'Extra' },
    },
    required: ['steps', 'pair', 'scores', 'ratio', 'extra'],
    title: 'Arguments',
    type: 'object',
};
/** A union at the root, as pydantic and zod write it. */
export const PETS = {
    $defs: {
        Cat: {
            title: 'Cat',
            description: 'It purrs.',
            type: 'object',
            properties: { kind: { const: 'cat', type: 'string' }, lives: { type: 'integer' }, name: { type: 'string' } },
            required: ['kind', 'lives', 'name'],
        },
        Dog: {
            title: 'Dog',
            type: 'object',
            properties: {
                kind: { const: 'dog', type: 'string' },
                name: { type: 'string' },
                friend: { anyOf: [{ $ref: '#/$defs/Cat' }, { type: 'null' }] },
            },
            required: ['kind', 'name'],
        },
    },
    discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 'kind' },
    oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
};
/** A type that contains itself, as pydantic writes it. */
export const TREE = {
    $defs: {
        Tree: {
            title: 'Tree',
            type: 'object',
            properties: {
                value: { type: 'integer' },
                children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
                parent: { $ref: '#/$defs/Tree', description: 'Who holds it.' },
            },
            required: ['value'],
        },
    },
    $ref: '#/$defs/Tree',
};
/** Parameters that are named like keywords: a schema has their names where it has names, not keywords. */
export const KEYWORDS = Object.fromEntries(['title', 'default', 'not', 'example', 'examples', 'anyOf', 'allOf', '$ref', '$defs', '$schema', '$id', 'enum']
    .concat(['const', 'type', 'properties', 'required', 'items', 'format', 'description', 'nullable', '__proto__'])
    .map((name) => [name, { type: 'string', title: name.toUpperCase() }]));
const GOOGLE_KEYS = {
    string: ['enum', 'format', 'pattern', 'minLength', 'maxLength'],
    number: ['format', 'minimum', 'maximum'],
    integer: ['format', 'minimum', 'maximum'],
    boolean: [],
    array: ['items', 'minItems', 'maxItems'],
    object: ['properties', 'required', 'minProperties', 'maxProperties'],
};
/** What Google would refuse of a schema: its rules as its errors tell them, written down apart from our code. */
export function googleFaults(schema, at = 'parameters') {
    const { anyOf, type, items, properties, required } = schema;
    if (anyOf !== undefined) {
        const alone = Object.keys(schema).length === 1 ? [] : [`${at}: any_of must be the only field set`];
        const branches = anyOf;
        const several = branches.length > 1 ? [] : [`${at}: any_of of one`];
        return [
            ...alone,
            ...several,
            ...branches.flatMap((branch, index) => googleFaults(branch, `${at}.any_of[${index}]`)),
        ];
    }
    const allowed = GOOGLE_KEYS[String(type)];
    if (allowed === undefined)
        return [`${at}: type ${JSON.stringify(type)}`];
    const faults = Object.keys(schema)
        .filter((key) => !['type', 'description', 'nullable', ...allowed].includes(key))
        .map((key) => `${at}: unknown name ${key}`);
    const values = (schema.enum ?? []);
    if (values.some((value) => typeof value !== 'string' || value === ''))
        faults.push(`${at}.enum: not texts`);
    if (type === 'array') {
        faults.push(...(items === undefined ? [`${at}.items: missing field`] : googleFaults(items, `${at}.items`)));
    }
    const named = Object.entries((properties ?? {}));
    if (properties !== undefined && named.length === 0)
        faults.push(`${at}.properties: should be non-empty`);
    for (const name of (required ?? [])) {
        if (!named.some(([property]) => property === name))
            faults.push(`${at}.required: ${name} is not defined`);
    }
    return [...faults, ...named.flatMap(([name, value]) => googleFaults(value, `${at}[${name}]`))];
}
function freeze(value) {
    if (typeof value === 'object' && value !== null) {
        for (const inner of Object.values(value))
            freeze(inner);
        Object.freeze(value);
    }
    return value;
}
//# sourceMappingURL=schemas.js.map