// The part of GLM that the oracle of tests/engine/oracle needs, so that the course builds without GLM. Every header of this
// folder is this one.
#pragma once

#include <cstddef>

namespace glm {

template <int kSize, typename T>
struct Components;
template <typename T>
struct Components<2, T> {
  T x, y;
};
template <typename T>
struct Components<3, T> {
  T x, y, z;
};
template <typename T>
struct Components<4, T> {
  T x, y, z, w;
};

template <int kSize, typename T>
struct Vector : Components<kSize, T> {
  using Base = Components<kSize, T>;
  constexpr Vector() : Base{} {}
  constexpr explicit Vector(T all) : Base{} {
    for (int i = 0; i < kSize; ++i) (*this)[i] = all;
  }
  template <typename... U>
  requires(sizeof...(U) == size_t(kSize)) constexpr Vector(U... each) : Base{T(each)...} {}
  constexpr T& operator[](int i) { return i == 0 ? this->x : i == 1 ? this->y : last(*this, i); }
  constexpr const T& operator[](int i) const { return i == 0 ? this->x : i == 1 ? this->y : last(*this, i); }

  friend constexpr Vector operator+(const Vector& a, const Vector& b) {
    return each([&](int i) { return a[i] + b[i]; });
  }
  friend constexpr Vector operator-(const Vector& a, const Vector& b) {
    return each([&](int i) { return a[i] - b[i]; });
  }
  friend constexpr Vector operator*(const Vector& a, const Vector& b) {
    return each([&](int i) { return a[i] * b[i]; });
  }
  friend constexpr Vector operator*(const Vector& a, T b) {
    return each([&](int i) { return a[i] * b; });
  }
  friend constexpr bool operator==(const Vector& a, const Vector& b) {
    for (int i = 0; i < kSize; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  template <typename Self>
  static constexpr auto& last(Self& self, int i) {
    if constexpr (kSize == 2) {
      return self.y;
    } else if constexpr (kSize == 3) {
      return self.z;
    } else {
      return i == 2 ? self.z : self.w;
    }
  }
  template <typename F>
  static constexpr Vector each(F&& value) {
    Vector result;
    for (int i = 0; i < kSize; ++i) result[i] = T(value(i));
    return result;
  }
};

// Column by column.
template <int kSize>
struct Matrix {
  Vector<kSize, float> column[kSize]{};
  constexpr Matrix() = default;
  constexpr explicit Matrix(float diagonal) {
    for (int i = 0; i < kSize; ++i) column[i][i] = diagonal;
  }
  constexpr Vector<kSize, float>& operator[](int i) { return column[i]; }
  constexpr const Vector<kSize, float>& operator[](int i) const { return column[i]; }
  friend constexpr Vector<kSize, float> operator*(const Matrix& m, const Vector<kSize, float>& v) {
    Vector<kSize, float> sum;
    for (int i = 0; i < kSize; ++i) sum = sum + m[i] * v[i];
    return sum;
  }
  friend constexpr bool operator==(const Matrix& a, const Matrix& b) {
    for (int i = 0; i < kSize; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }
};

using vec2 = Vector<2, float>;
using vec3 = Vector<3, float>;
using vec4 = Vector<4, float>;
using dvec2 = Vector<2, double>;
using uvec2 = Vector<2, unsigned>;
using ivec2 = Vector<2, int>;
using mat2 = Matrix<2>;
using mat3 = Matrix<3>;
using mat4 = Matrix<4>;

}  // namespace glm
