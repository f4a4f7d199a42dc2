import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  buttonId,
  canExpand,
  type FieldTemplateProps,
  type ObjectFieldTemplateProps,
  type WidgetProps,
} from '@rjsf/utils';
import type { ReactElement } from 'react';
import { toSafeText } from '../data/safe-text.ts';
import { toTypeText } from './type-text.ts';

/** A field: what it is called, what it takes, and what is wrong with it. */
export function FieldTemplate(props: FieldTemplateProps): ReactElement {
  const {
    id,
    label,
    children,
    rawErrors,
    rawDescription,
    hidden,
    required,
    displayLabel,
    schema,
    onKeyRenameBlur,
    onRemoveProperty,
  } = props;
  if (hidden) return <div hidden>{children}</div>;
  // The library leaves the names of booleans to their widgets.
  const isNamed = displayLabel || schema.type === 'boolean';
  const type = toTypeText(schema);
  const isOwn = ADDITIONAL_PROPERTY_FLAG in schema;
  return (
    <div className={rawErrors?.length ? 'field wrong' : 'field'}>
      {isOwn && (
        <div className="own-key">
          <input aria-label="Name of the property" defaultValue={label} key={label} onBlur={onKeyRenameBlur} />
          <button type="button" onClick={onRemoveProperty}>
            Remove
          </button>
        </div>
      )}
      {isNamed && !isOwn && (
        <label htmlFor={id}>
          <b>{toSafeText(label)}</b>
          {required && <span> · required</span>}
          {type !== '' && <span> · {toSafeText(type)}</span>}
        </label>
      )}
      {isNamed && rawDescription !== undefined && rawDescription !== '' && (
        <p className="hint">{toSafeText(rawDescription)}</p>
      )}
      {children}
      {rawErrors?.map((error) => (
        <p key={error} className="error">
          <span aria-hidden="true">✕ </span>
          {toSafeText(error)}
        </p>
      ))}
    </div>
  );
}

/** The fields of an object, with a line at its side where it is inside of another. */
export function ObjectTemplate(props: ObjectFieldTemplateProps): ReactElement {
  const { title, description, properties, fieldPathId, schema, uiSchema, formData, onAddProperty, required } = props;
  const isWhole = fieldPathId.$id === 'root';
  const fields = (
    <>
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <button type="button" className="add" id={buttonId(fieldPathId, 'add')} onClick={onAddProperty}>
          Add a property
        </button>
      )}
    </>
  );
  if (isWhole) return <div className="fields">{fields}</div>;
  return (
    <fieldset>
      {title && (
        <legend>
          <b>{toSafeText(title)}</b>
          {required && <span> · required</span>}
        </legend>
      )}
      {description && <p className="hint">{description}</p>}
      {fields}
    </fieldset>
  );
}

/** One item of an array, and what can be done with it. */
export function ItemTemplate({ children, buttonsProps, hasToolbar, index }: ArrayFieldItemTemplateProps): ReactElement {
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  return (
    <div className="item">
      <div>{children}</div>
      {hasToolbar && (
        <div className="item-acts">
          {hasMoveUp && (
            <button type="button" onClick={onMoveUpItem} aria-label={`Move item ${index + 1} up`}>
              ↑
            </button>
          )}
          {hasMoveDown && (
            <button type="button" onClick={onMoveDownItem} aria-label={`Move item ${index + 1} down`}>
              ↓
            </button>
          )}
          {hasRemove && (
            <button type="button" onClick={onRemoveItem} aria-label={`Remove item ${index + 1}`}>
              ✕
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** The items of an array, and the way to more of them. */
export function ArrayTemplate(props: ArrayFieldTemplateProps): ReactElement {
  const { title, required, schema, items, canAdd, onAddClick, fieldPathId, disabled } = props;
  const type = toTypeText(schema);
  return (
    <fieldset id={fieldPathId.$id}>
      {title && (
        <legend>
          <b>{toSafeText(title)}</b>
          {required && <span> · required</span>}
          {type !== '' && <span> · {toSafeText(type)}</span>}
        </legend>
      )}
      {schema.description && <p className="hint">{toSafeText(schema.description)}</p>}
      {items}
      {canAdd && (
        <button
          type="button"
          className="add"
          id={buttonId(fieldPathId, 'add')}
          onClick={onAddClick}
          disabled={disabled === true}
        >
          Add an item
        </button>
      )}
    </fieldset>
  );
}

/** Text of any length: it grows with what is typed. */
export function TextArea({
  id,
  value,
  required,
  disabled,
  readonly,
  onChange,
  options,
  placeholder,
}: WidgetProps): ReactElement {
  return (
    <textarea
      id={id}
      className="grows"
      rows={1}
      value={typeof value === 'string' ? value : ''}
      required={required}
      disabled={disabled}
      readOnly={readonly}
      placeholder={placeholder}
      spellCheck={false}
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  );
}

// As many as can be seen at once are buttons: one click less than a list.
const FEW = 6;
const SHORT = 16;

/** One of several values. */
export function Choice({
  id,
  value,
  required,
  disabled,
  onChange,
  options,
  label,
  multiple,
}: WidgetProps): ReactElement {
  const choices = options.enumOptions ?? [];
  const isFew = choices.length <= FEW && choices.every((choice) => choice.label.length <= SHORT);
  if (multiple) return <Choices id={id} value={value} onChange={onChange} choices={choices} label={label} />;
  if (isFew)
    return (
      <div className="chips choices" role="radiogroup" aria-label={label} id={id}>
        {choices.map((choice) => {
          const isChosen = value === choice.value;
          return (
            <button
              key={choice.label}
              type="button"
              role="radio"
              aria-checked={isChosen}
              disabled={disabled}
              onClick={() => onChange(isChosen && !required ? undefined : choice.value)}
            >
              {toSafeText(choice.label)}
            </button>
          );
        })}
      </div>
    );
  const at = choices.findIndex((choice) => choice.value === value);
  return (
    <select
      id={id}
      value={at < 0 ? '' : String(at)}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)]?.value)}
    >
      {(at < 0 || !required) && <option value="">{required ? 'Choose' : 'left out'}</option>}
      {choices.map((choice, place) => (
        <option key={choice.label} value={place}>
          {toSafeText(choice.label)}
        </option>
      ))}
    </select>
  );
}

interface ChoicesProps extends Pick<WidgetProps, 'id' | 'value' | 'onChange' | 'label'> {
  readonly choices: NonNullable<WidgetProps['options']['enumOptions']>;
}

function Choices({ id, value, onChange, choices, label }: ChoicesProps): ReactElement {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (each: unknown) =>
    onChange(chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each]);
  return (
    <div className="chips choices" role="group" aria-label={label} id={id}>
      {choices.map((choice) => (
        <button
          key={choice.label}
          type="button"
          aria-pressed={chosen.includes(choice.value)}
          onClick={() => toggle(choice.value)}
        >
          {toSafeText(choice.label)}
        </button>
      ))}
    </div>
  );
}

/** Yes, no, or left out. */
export function YesNo({ id, value, required, disabled, onChange }: WidgetProps): ReactElement {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false };
  return (
    <select
      id={id}
      value={String(value ?? '')}
      disabled={disabled}
      onChange={({ target }) => onChange(words[target.value])}
    >
      {(!required || value === undefined) && <option value="">{required ? 'Choose' : 'left out'}</option>}
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}
